// A sequencer that ends itself without a word at a chosen point. Run from a build; see kills.test.ts.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const { build, target, schema, tenant, instance, tenantKey, folder, point, round } = JSON.parse(
  process.argv[2],
);
const load = (path) => import(pathToFileURL(`${build}/src/${path}`).href);
const { Session } = await load('postgres/session.js');
const { PLANNER } = await load('postgres/planner.js');
const { TenantKey } = await load('ledger/tenant-key.js');
const { PostgresSequencer } = await load('ledger/store/sequencer.js');

const die = () => process.kill(process.pid, 'SIGKILL');
/** Passes so often before it ends the process. */
let left = round;
const at = (name) => {
  if (name !== point) return;
  if (left === 0) die();
  left -= 1;
};

for (const name of ['open', 'rename']) {
  const original = fs[name];
  fs[name] = async (...args) => {
    at(`before ${name}`);
    const result = await original(...args);
    at(`after ${name}`);
    return result;
  };
}
syncBuiltinESMExports();
const { CheckpointFiles } = await load('system/checkpoint-copies.js');

const session = new Session({ target, schema, name: 'sequencer', settings: PLANNER });
const transaction = session.transaction.bind(session);
session.transaction = async (work) => {
  const result = await transaction(async (run) => {
    const inside = await work(run);
    at('before commit');
    return inside;
  });
  at('after commit');
  return result;
};
const files = new CheckpointFiles(folder);
const copies = {
  newest: (origin) => files.newest(origin),
  setAside: (origin) => files.setAside(origin),
  keep: async (...args) => {
    at('before copy');
    await files.keep(...args);
    at('after copy');
  },
};
const sequencer = new PostgresSequencer({
  session,
  tenant,
  instance,
  signing: {
    tenantKey: new TenantKey(Buffer.from(tenantKey, 'hex')),
    random: { bytes: (count) => randomBytes(count) },
  },
  copies,
});
while ((await sequencer.sequence(16)) > 0);
at('before checkpoint');
await sequencer.checkpoint();
await session.close();
