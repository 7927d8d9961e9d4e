/**
 * Verbose transport logging of targets: a window that ends by itself, and the redacted lines that were written while it
 * was open. Both are files in the data directory, so that every router on this machine heeds a window that another
 * process opens, and so that nothing of it ever gets into the ledger.
 */
import { appendFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from '../../ledger/index.ts';
import {
  type Clock,
  instant,
  type JsonValue,
  parseStrictJson,
  sha256Of,
} from '../../core/index.ts';
import {
  type Handoffs,
  type HandoffTarget,
  logTransport,
  openWindow,
  type VerboseStore,
  type VerboseWindow,
} from '../../people/index.ts';

/** A window of an hour on a busy target stays far below; a full file takes no more lines. */
const LOG_BYTES_MAX = 10 * 1024 * 1024;
const LINES_SHOWN = 50;

export class VerboseFiles implements VerboseStore {
  readonly #folder: string;

  constructor(dataDirectory: string) {
    this.#folder = join(dataDirectory, 'transport-log');
  }

  async read(target: string): Promise<VerboseWindow | undefined> {
    const text = await readFile(this.#path(target, 'window.json'), 'utf8').catch(() => undefined);
    // A file that somebody broke opens nothing.
    return text === undefined ? undefined : windowIn(text);
  }

  async write(window: VerboseWindow): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(window.target, 'window.json');
    await writeFile(`${path}.new`, JSON.stringify(window), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async append(target: string, line: Readonly<Record<string, JsonValue>>): Promise<void> {
    const path = this.#path(target, 'ndjson');
    const size = await stat(path).then(
      (known) => known.size,
      () => 0,
    );
    if (size >= LOG_BYTES_MAX) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** The newest lines about one message, oldest first. */
  async lines(target: string, messageId: string): Promise<readonly JsonValue[]> {
    const text = await readFile(this.#path(target, 'ndjson'), 'utf8').catch(() => '');
    const own = JSON.stringify(messageId);
    const whole = text.split('\n').filter((line) => line.includes(`"messageId":${own}`));
    return whole.slice(-LINES_SHOWN).map((line) => parseStrictJson(line));
  }

  /** Target ids are any text; a hash is a file name. */
  #path(target: string, ending: string): string {
    const name = sha256Of(target).slice(0, 32);
    return join(this.#folder, `${name}.${ending}`);
  }
}

function windowIn(text: string): VerboseWindow | undefined {
  try {
    const { target, by, since, until } = JSON.parse(text) as Record<string, unknown>;
    if (typeof target !== 'string' || typeof by !== 'string') return undefined;
    if (typeof since !== 'number' || typeof until !== 'number') return undefined;
    return { target, by, since: instant(since), until: instant(until) };
  } catch {
    return undefined;
  }
}

/** Opens a window for each target; a window has an end from the moment it exists. */
export async function openVerbose(
  app: Pick<Installation, 'dataDirectory' | 'clock'>,
  request: { readonly targets: readonly string[]; readonly by: string; readonly forMs?: number },
): Promise<readonly VerboseWindow[]> {
  const files = new VerboseFiles(app.dataDirectory);
  const { by, forMs } = request;
  const windows = request.targets.map((target) =>
    openWindow({ target, by, ...(forMs === undefined ? {} : { forMs }) }, app.clock.now()),
  );
  for (const window of windows) await files.write(window);
  return windows;
}

/** The wires, with what they did written down while a window is open. Logging never changes an outcome. */
export function watched(
  handoffs: Handoffs,
  deps: { readonly clock: Pick<Clock, 'now'>; readonly files: VerboseFiles },
): Handoffs {
  const note = async (
    target: HandoffTarget,
    more: { readonly body?: Uint8Array; readonly evidence?: object },
  ): Promise<void> => {
    const at = deps.clock.now();
    const direction = more.body === undefined ? ('in' as const) : ('out' as const);
    const url = target.kind === 'http' ? { url: target.address } : {};
    await logTransport(
      { target: target.id, at, direction, ...url, ...more },
      {
        clock: deps.clock,
        windows: deps.files,
        write: (line) => deps.files.append(target.id, line),
      },
    ).catch(() => undefined); // A full disk must not keep a docket from its reader.
  };
  return {
    deliver: async (target, load, guard) => {
      const { id: messageId, handoff, contentType } = load;
      await note(target, { body: load.payload, evidence: { messageId, handoff, contentType } });
      const outcome = await handoffs.deliver(target, load, guard);
      const { kind, evidence } = outcome;
      await note(target, { evidence: { ...evidence, outcome: kind, messageId, handoff } });
      return outcome;
    },
  };
}
