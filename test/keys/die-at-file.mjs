/** Loaded before the command line: the process kills itself at its n-th link or rename, before it or right after it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [moment, side] = (process.env.FILEWRIGHT_TEST_DIE_AT ?? '').split(' ');
let steps = 0;
for (const name of ['linkSync', 'renameSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    steps += 1;
    const isLast = steps === Number(moment);
    if (isLast && side === 'before') process.kill(process.pid, 'SIGKILL');
    const result = real(...args);
    if (isLast) process.kill(process.pid, 'SIGKILL');
    return result;
  };
}
syncBuiltinESMExports();
