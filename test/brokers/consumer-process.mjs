// One consumer in a process of its own, from a build of the room. Plain JavaScript, because Node starts it without a
// compiler. Its commit is a file that exists or not: the operating system's own unique index.
import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [build = '', text = '{}'] = process.argv.slice(2);
const { kind, url, name, folder, hangsAfterCommit, consumer } = JSON.parse(text);
const load = (path) => import(pathToFileURL(join(build, path)).href);
const { consumeRabbit } = await load('src/dockets/brokers/rabbit-intake.js');
const { consumeRedis } = await load('src/dockets/brokers/redis-intake.js');
const { systemClock: clock } = await load('src/system/clock.js');

const controller = new AbortController();
process.on('SIGTERM', () => controller.abort());
// An orphan of a test that was broken off must not go on.
process.on('disconnect', () => process.exit(1));

const desk = {
  async commit(message) {
    try {
      const file = openSync(join(folder, message.id), 'wx');
      fsyncSync(file);
      closeSync(file);
    } catch (error) {
      // Committed by an earlier delivery.
      if (error.code !== 'EEXIST') throw error;
    }
    appendFileSync(join(folder, 'commits'), `${message.id}\n`);
    if (hangsAfterCommit) await new Promise(() => undefined);
  },
  async setAside() {},
  async noteLoss() {},
};

const prefetch = 10;
if (kind === 'rabbit') {
  await consumeRabbit({ url, queue: name, prefetch, clock }, desk, controller.signal);
} else {
  const claimIdleMs = 500;
  const place = { url, stream: name, group: 'dockets', consumer, prefetch, create: true };
  await consumeRedis({ ...place, claimIdleMs, clock }, desk, controller.signal);
}
process.disconnect();
