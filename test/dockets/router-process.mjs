// One router in a process of its own, from a build of this tree. Plain JavaScript, because Node starts it without a
// compiler. `fate` says where it dies: never, between its commit and the handoff, or between the handoff and its outcome.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [build = '', dataDirectory = '', tenant = '', fate = 'never'] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(build, path)).href);
const { createFilewright } = await load('src/app.js');
const { patentLaw } = await load('src/cli/patent-law.js');
const { createHandoffs } = await load('src/people/notify/handoff/deliver.js');

// An orphan of a test that was broken off must not go on.
process.on('disconnect', () => process.exit(1));
const app = await createFilewright({ dataDirectory, tenant });
const law = patentLaw({});
const die = () => process.kill(process.pid, 'SIGKILL');
const transport = { allowPrivateAddresses: () => ({ allows: () => true }) };
const real = createHandoffs({ ...transport, clock: app.clock, timeoutMs: 400, totalMs: 1_500 });
const handoffs = {
  deliver: async (...request) => {
    if (fate === 'before') die();
    const outcome = await real.deliver(...request);
    if (fate === 'after') die();
    return outcome;
  },
};
const policy = (stated) => ({
  ...stated,
  timeoutMs: 400,
  backoffMsMin: 50,
  backoffMsMax: 100,
  outcomeMsMax: 2_500,
  breaker: { failures: 3, coolDownMs: 300, probeSpacingMs: 150 },
});
const router = await app.router({ law: () => law, transport, handoffs, policy, pollMs: 20 });
process.send?.('ready');
process.on('SIGTERM', async () => {
  await router.stop();
  await app.close();
  process.exit(0);
});
