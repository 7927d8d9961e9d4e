import { addMs, instant } from '../../src/core/time.ts';
import { personId } from '../../src/core/ids.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { MemoryDatabase } from '../../src/testing/memory/database.ts';
import { MemoryStore } from '../../src/testing/memory-store.ts';
import { SeededIds, SeededRandom } from '../../src/testing/virtual-clock.ts';
import { LEASE_MS, type Ports, type World } from './world.ts';

const START_MS = Date.UTC(2026, 2, 2, 9);

export function memoryWorld(): Promise<World> {
  let now = instant(START_MS);
  const database = new MemoryDatabase({ now: () => now, leaseMs: LEASE_MS });
  const random = new SeededRandom(1);
  const store = new MemoryStore(database);
  const ports: Ports = { delivery: store, intake: store, sequencer: store };
  const ids = new SeededIds({ now: () => now }, random);
  return Promise.resolve({
    here: ports,
    there: ports,
    ids,
    vault: new KeyVault({
      origin: database.origin(),
      tenantKey: new TenantKey(random.bytes(32)),
      random,
    }),
    person: personId(ids.next()),
    origin: database.origin(),
    now: () => Promise.resolve(now),
    async advance(ms) {
      now = addMs(now, ms);
    },
    async addLane(lane) {
      database.addLane(lane);
    },
    async release(batch) {
      database.release(batch);
    },
    async filing(id) {
      const row = database.filing(id);
      return { ...row, isQueued: row.nextAt !== undefined };
    },
    outcomes: (id) => Promise.resolve(database.outcomes(id)),
    async exceptions(id) {
      return database.exceptions().filter((row) => row.filing === id);
    },
    async outbox() {
      return database.outbox().map((row) => row.filing);
    },
    waiting: () => Promise.resolve(database.waiting()),
    entries: () => Promise.resolve(database.entries()),
    close: () => Promise.resolve(),
  });
}
