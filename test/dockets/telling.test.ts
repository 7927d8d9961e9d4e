/** A firm that runs a router and no worker: what the router warns of reaches somebody all the same. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runRouter } from '../../src/oversight/acts/docket-router.ts';
import { approvedMail, approvedRecipient } from '../fixtures/approved.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright } from '../../src/app.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { until } from '../delivery/waiting.ts';
import { header, type MailServerStub, startMailServer } from '../notify/mail-server.ts';
import { Stage } from './stage.ts';
import { OPERATOR } from '../operator.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

let server: Server;
let stage: Stage;
let mail: MailServerStub;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  await mail?.close();
  await stage?.close();
});

it('a router without a worker sends its alerts itself, and ends with its signal', async () => {
  stage = await Stage.set(server);
  // Plain: a router trusts the well-known authorities, and this server has none of them.
  mail = await startMailServer({ disabledCommands: ['STARTTLS'] });
  const environment = {
    SMTP: `smtp://localhost:${mail.port}`,
    FILEWRIGHT_ROUTING_PRIVATE: '1',
    ...OWN_MACHINE,
  };
  const { dataDirectory } = server;
  const app = await createFilewright({ dataDirectory, tenant: stage.app.tenant, environment });
  const { key } = await foundUser(app, OPERATOR, 'clerk');
  await foundUser(app, OPERATOR, 'second clerk');
  const person = await personOf(app, key);
  const setting = { smtp: 'env:SMTP', sender: 'dockets@example.org', allowPrivateAddresses: true };
  await approvedMail(app, person, setting, environment);
  const ops = { role: 'alert', address: 'ops@example.org', entityId: undefined };
  await approvedRecipient(app, person, ops);
  // Its date has passed, so the router raises an alert.
  await stage.feed(1, { due_date: '2026-01-05' });
  const ending = new AbortController();
  const running = runRouter(app, OPERATOR, {}, environment, ending.signal);
  try {
    // Due alerts have their turn every minute.
    await until(() => mail.taken.some(({ to }) => to.includes('ops@example.org')));
  } finally {
    ending.abort();
    await running;
    await app.close();
  }
  const letters = mail.taken.filter(({ to }) => to.includes('ops@example.org'));
  expect(letters.map(({ raw }) => header(raw, 'subject'))).toContainEqual(
    expect.stringContaining('A docket needs a person'),
  );
});
