/**
 * Loaded before the service: the process kills itself at the commit of a request that happens once, before it is asked for or when
 * it is done. Whether it was committed is then with the database, and the answer reaches nobody.
 */
import { Socket } from 'node:net';

const side = process.env.FILEWRIGHT_TEST_DIE_AT;
const { write, push } = Socket.prototype;
let isKept = false;

function textOf(chunk) {
  return chunk === null || chunk === undefined ? '' : Buffer.from(chunk).toString('latin1');
}

Socket.prototype.write = function dying(...args) {
  const text = textOf(args[0]);
  if (text.includes('request-keep')) isKept = true;
  if (side === 'before' && isKept && text.includes('commit\0'))
    process.kill(process.pid, 'SIGKILL');
  return write.apply(this, args);
};

Socket.prototype.push = function dying(...args) {
  if (side === 'after' && isKept && textOf(args[0]).includes('COMMIT\0')) {
    process.kill(process.pid, 'SIGKILL');
  }
  return push.apply(this, args);
};
