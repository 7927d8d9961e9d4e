/** An embedded PostgreSQL for one test file. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionTarget } from '../../src/postgres/session.ts';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';

export interface Server {
  readonly dataDirectory: string;
  readonly target: ConnectionTarget;
  /** 1, 2 ... on each server, whatever ran in this process before. */
  nextTenant(): number;
  close(): Promise<void>;
}

export async function startServer(): Promise<Server> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fw-delivery-'));
  // For root the server runs as somebody else, who must be able to pass through.
  chmodSync(dataDirectory, 0o711);
  copyPreparedCluster(dataDirectory);
  const { connection } = await ensureEmbedded({ dataDirectory });
  let tenants = 0;
  return {
    dataDirectory,
    target: connection,
    nextTenant: () => (tenants += 1),
    close: async () => {
      await stopEmbedded(dataDirectory, { mode: 'immediate' });
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
