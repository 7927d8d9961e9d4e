/** The adversary: somebody who tries doors, and would rather that nobody saw it; or who tries them to fill the ledger. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeskLine, type Person } from '../docket-cli/desk-line.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import { sequenceAll } from '../../src/ledger/acts/sequence.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OPERATOR } from '../operator.ts';

let desk: DeskLine;
let hart: Person;
let ruiz: Person;
let app: Filewright;

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  ruiz = await desk.person('Elena Ruiz', hart);
  const files = ['matrix', 'people'].map((name) => `${ROOT}/samples/patent-${name}.json`);
  await desk.route(files, hart);
  await desk.data(['docket', 'import', `${ROOT}/samples/patent-docket.ndjson`], hart);
  app = await createFilewright({ dataDirectory: desk.path('data') });
}, 60_000);
afterAll(async () => {
  await app.close();
  await desk.close();
});

/** What the entries say since the last look: who, act, kind of subject, how many. */
let seen = 0;
async function refusals(): Promise<readonly unknown[]> {
  await sequenceAll(app);
  const rows = await app.session.run({
    name: '',
    text: `select convert_from(bytes, 'UTF8')::jsonb as entry from ledger_entry where boundary = 'access' order by seq`,
  });
  const all = rows
    .map(
      ({ entry }) => entry as { type: string; actor: { kind: string; id: string }; data: object },
    )
    .filter(({ type }) => type === 'access.refused');
  const fresh = all.slice(seen);
  seen = all.length;
  return fresh.map(({ actor, data }) => [names.get(actor.id) ?? actor.id, data]);
}
const names = new Map<string, string>();

it('what is hidden and what is not there leave the same entry, which names neither', async () => {
  const people = await app.session.run({ name: '', text: 'select id, name from person' });
  for (const { id, name } of people) names.set(String(id), String(name));
  const all = JSON.stringify(await desk.data(['docket', 'list'], hart));
  const own = JSON.stringify(await desk.data(['docket', 'list'], ruiz));
  const ids = [...all.matchAll(/"docket":"([^"]+)"/g)].map(([, id = '']) => id);
  const hidden = ids.find((id) => !own.includes(id)) ?? '';
  expect(hidden).not.toBe('');
  for (const id of [hidden, 'nothing-of-the-kind']) {
    expect((await desk.run(['docket', 'show', id], ruiz)).code).toBe(3);
  }
  const data = { act: 'docket.show', subject: 'docket', times: 1 };
  expect(await refusals()).toEqual([
    ['Elena Ruiz', data],
    ['Elena Ruiz', data],
  ]);
});

it('an act without a key, with a wrong key and without the role', async () => {
  const nobody = { tenant: 'main', keyFile: await desk.file('keys/none', '') };
  const wrong = { tenant: 'main', keyFile: await desk.file('keys/wrong', 'fwk_made_up') };
  expect((await desk.run(['docket', 'list'], nobody)).code).toBe(4);
  expect((await desk.run(['docket', 'list'], wrong)).code).toBe(4);
  await app.session.run({ name: '', text: 'alter table person_role disable trigger all' });
  await app.session.run(
    {
      name: '',
      text: `update person_role set taken_at = now(), taken_by = $1 where person = $2 and role <> 'viewer'`,
    },
    [...names]
      .flatMap(([id, name]) => (name === 'Judith Hart' ? [id] : []))
      .concat([...names].flatMap(([id, name]) => (name === 'Elena Ruiz' ? [id] : []))),
  );
  expect((await desk.run(['docket', 'list'], ruiz)).code).toBe(4);
  expect(await refusals()).toEqual([
    ['operator', { act: 'docket.list', subject: 'docket', times: 1 }],
    ['unknown key', { act: 'key.use', subject: 'key', times: 1 }],
    ['Elena Ruiz', { act: 'docket.list', subject: 'docket', times: 1 }],
  ]);
});

it('a flood is counted, and few entries tell it', async () => {
  for (let n = 0; n < 20; n++) await desk.run(['docket', 'list'], ruiz);
  // The second, fourth, eighth and sixteenth of the day.
  expect(await refusals()).toEqual(
    [1, 2, 4, 8].map((times) => ['Elena Ruiz', { act: 'docket.list', subject: 'docket', times }]),
  );
  const [row] = await app.session.run({
    name: '',
    text: `select times::int, told::int from refusal where act = 'docket.list' and actor like 'user %'`,
  });
  expect(row).toEqual({ times: 21, told: 16 });
  expect((await verifyLedger(app, OPERATOR, { bodies: true })).ok).toBe(true);
});
