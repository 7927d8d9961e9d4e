/** Many alerts at once are one letter to each reader, and nobody reads in it what another is told. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvedMail, approvedRecipient } from '../fixtures/approved.ts';
import { raiseAlertRow } from '../../src/ledger/store/raise-alert.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { header, type MailServerStub, startMailServer } from '../notify/mail-server.ts';
import { House } from './house.ts';

let server: Server;
let mail: MailServerStub;
let house: House;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  house = await House.open(server);
  mail = await startMailServer();
  house.smtp = `smtp://localhost:${mail.port}`;
  const setting = { smtp: 'env:SMTP', sender: 'filings@example.org', allowPrivateAddresses: true };
  await approvedMail(house.app, house.person, setting, house.environment);
  for (const address of ['ops@example.org', 'boss@example.org']) {
    const one = { role: 'alert', address, entityId: undefined };
    await approvedRecipient(house.app, house.person, one);
  }
});
afterEach(async () => {
  await mail.close();
  await house.close();
});

/** As a watch raises it, which leaves the telling to the next turn. */
const raise = (
  name: string,
  severity: 'info' | 'warning' | 'critical' = 'warning',
  recipient?: string,
) =>
  house.app.session.transaction((run) =>
    raiseAlertRow(run, house.app.tenant, {
      id: house.app.ids.next(),
      kind: 'queue_saturated',
      subject: `queue ${name}`,
      severity,
      recipient,
      text: `Sentence about ${name}.`,
      dedup: `test/${name}`,
    }),
  );

const lettersTo = (address: string) =>
  mail.taken.filter(({ to }) => to.includes(address)).map(({ raw }) => raw);
const sentencesIn = (raw: string) =>
  [...raw.matchAll(/Sentence about (\w+)/g)].map(([, name = '']) => name);

describe('alerts that come together', () => {
  it('are a letter each while they are three', async () => {
    for (const name of ['one', 'two', 'three']) await raise(name);
    await house.once();
    for (const reader of ['ops@example.org', 'boss@example.org']) {
      expect(lettersTo(reader).flatMap(sentencesIn).sort()).toEqual(['one', 'three', 'two']);
      expect(lettersTo(reader)).toHaveLength(3);
    }
  });

  it('are one letter to each reader from the fourth on, the most severe first, and no second one', async () => {
    await raise('mild', 'info');
    await raise('one');
    await raise('grave', 'critical');
    await raise('two');
    await house.once();
    await house.once();
    for (const reader of ['ops@example.org', 'boss@example.org']) {
      const letters = lettersTo(reader);
      expect(letters).toHaveLength(1);
      const [letter = ''] = letters;
      expect(sentencesIn(letter).at(0)).toBe('grave');
      expect(sentencesIn(letter).at(-1)).toBe('mild');
      expect(sentencesIn(letter).toSorted()).toEqual(['grave', 'mild', 'one', 'two']);
      expect(header(letter, 'subject')).toBe('[critical] Several alerts need a person');
    }
    // Told is told: each has its own count, and its own next turn.
    const told = await house.rows(
      "select distinct tries from work where tenant = $1 and kind = 'alert'",
    );
    expect(told).toEqual([{ tries: 1 }]);
  });

  it('stand in one letter only with the same readers', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await raise(`shared_${name}`);
    for (const name of ['a', 'b', 'c', 'd']) {
      await raise(`own_${name}`, 'warning', 'solo@example.org');
    }
    await raise('boss_alone', 'warning', 'boss@example.org');
    await house.once();
    const shared = ['shared_a', 'shared_b', 'shared_c', 'shared_d'];
    expect(lettersTo('solo@example.org').map((raw) => sentencesIn(raw).toSorted())).toEqual([
      ['own_a', 'own_b', 'own_c', 'own_d'],
    ]);
    expect(lettersTo('ops@example.org').map((raw) => sentencesIn(raw).toSorted())).toEqual([
      shared,
    ]);
    // What only the boss is told is no part of a letter that others have as well.
    const boss = lettersTo('boss@example.org').map((raw) => sentencesIn(raw).toSorted());
    expect(boss).toHaveLength(2);
    expect(boss).toEqual(expect.arrayContaining([shared, ['boss_alone']]));
  });

  it('that are more than a letter shows say how many there are, and where', async () => {
    for (let n = 0; n < 203; n += 1) await raise(`n${n}`);
    await house.once();
    const [letter = '', ...others] = lettersTo('ops@example.org');
    expect(others).toEqual([]);
    expect(sentencesIn(letter)).toHaveLength(200);
    expect(letter).toContain('203 alerts need a person');
    expect(letter).toContain('And 3 more: filewright alert list');
  });
});
