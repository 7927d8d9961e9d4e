/**
 * Loaded before the command line: the process kills itself at its n-th write to the database, before it or right after it.
 * What was written is then with the server, and its answer reaches nobody.
 */
import { Socket } from 'node:net';

const [moment, side] = (process.env.FILEWRIGHT_TEST_DIE_AT ?? '').split(' ');
const { write } = Socket.prototype;
let writes = 0;

// The sample year may not be over on the day of the test; only a closing asks for the day.
if (process.argv.includes('close')) {
  const { now } = Date;
  const yearIsOver = Date.UTC(2027, 1, 1, 12);
  Date.now = () => Math.max(now(), yearIsOver);
}

Socket.prototype.write = function dying(...args) {
  writes += 1;
  const isLast = writes === Number(moment);
  if (isLast && side === 'before') process.kill(process.pid, 'SIGKILL');
  const result = write.apply(this, args);
  if (isLast) process.kill(process.pid, 'SIGKILL');
  return result;
};
