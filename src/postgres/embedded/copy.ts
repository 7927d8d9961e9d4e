/** Copies one file with its digest, in bounded memory, durable when it returns. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { ServerUser } from './server-user.ts';

// Large enough that system calls do not dominate, small enough to forget about.
const CHUNK_BYTES = 256 * 1024;

interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

export async function copyWithDigest(
  source: string,
  target: string,
  options: { readonly owner?: ServerUser } = {},
): Promise<Copied> {
  // No link is followed on either side: one of the two may be writable by an unprivileged user.
  const from = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const to = await open(target, 'wx', 0o600);
    try {
      const copied = await pump(from, to);
      const { owner } = options;
      if (owner?.kind === 'dropped') await to.chown(owner.uid, owner.gid);
      await to.sync();
      return copied;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function pump(from: FileHandle, to: FileHandle): Promise<Copied> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    let written = 0;
    while (written < bytesRead) {
      written += (await to.write(chunk, written, bytesRead - written, bytes + written))
        .bytesWritten;
    }
    bytes += bytesRead;
  }
}
