/** `recovery differences` and `recovery review --target --kind --client`, by who is meant and within walls. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFilewright, type Filewright } from '../../src/app.ts';
import { textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

/** By number: how the client is spelled in the record. */
const CLIENTS: Readonly<Record<string, string>> = {
  '18/1': 'Contoso, Inc.',
  '18/2': 'CONTOSO INC',
  '18/3': 'Contoso Ltd',
  '18/4': 'Fabrikam',
  '18/5': 'Сontoso', // The first letter is Cyrillic: nobody can tell who is meant.
};
let desk: DeskLine;
let app: Filewright;
let hart: Person;
let ruiz: Person;
let nobody: Person;
const ids = new Map<string, string>();

beforeAll(async () => {
  desk = await DeskLine.make();
  hart = await desk.person('Judith Hart');
  ruiz = await desk.person('Elena Ruiz', hart);
  nobody = await desk.person('Nora Nobody', hart);
  await desk.route([await matrixFile(), await peopleFile()], hart);
  for (const [application_number, client] of Object.entries(CLIENTS)) {
    const event = { application_number, client, filing_date: '2024-03-11', event_code: 'CTNF' };
    const file = await desk.file('e.ndjson', JSON.stringify({ ...event, due_date: '2099-01-05' }));
    await desk.data(['docket', 'import', file], hart);
  }
  for (const one of listAt(await desk.data(['docket', 'list'], hart), 'dockets')) {
    ids.set(textAt(one, 'applicationNumber'), textAt(one, 'docket'));
  }
  app = await createFilewright({ dataDirectory: desk.path('data'), environment: OWN_MACHINE });
});
afterAll(async () => {
  await app?.close();
  await desk.close();
});

const write = (text: string, values: readonly unknown[] = []) =>
  app.session.run({ name: '', text }, [app.tenant, ...values]);

/** As recoveries of the targets leave it; what was open before is reviewed. */
async function found(
  ...differences: readonly (readonly [string, string, string])[]
): Promise<void> {
  await write(
    `update recovery_difference set reviewed_at = now(), reviewed_by = 'test'
     where tenant = $1 and reviewed_at is null`,
  );
  const runs = new Map<string, string>();
  for (const target of new Set(differences.map(([of]) => of))) {
    runs.set(target, app.ids.next());
    await write(
      `insert into recovery_run (tenant, id, target, mode, baseline, state, phase)
       values ($1, $2, $3, 'automatic', '{}', '{"state": "closed"}', 'closed')`,
      [runs.get(target), target],
    );
  }
  for (const [target, number, kind] of differences) {
    await write(
      `insert into recovery_difference (tenant, run, docket, kind, review_by, evidence)
       values ($1, $2, $3, $4, now() + interval '2 hours', '{}')`,
      [runs.get(target), ids.get(number), kind],
    );
  }
}

const numberOf = (docket: string) => [...ids].find(([, id]) => id === docket)?.[0] ?? docket;

async function listed(words: readonly string[], by: Person): Promise<readonly string[]> {
  const shown = await desk.data(['recovery', 'differences', ...words], by);
  return listAt(shown, 'differences')
    .map((one) => `${numberOf(textAt(one, 'docket'))} ${textAt(one, 'kind')}`)
    .sort();
}

const reviewed = async (words: readonly string[], by: Person) => {
  const done = await desk.data(['recovery', 'review', ...words], by);
  return [done['reviewed'], done['dockets']];
};

describe('open differences', () => {
  const all = Object.keys(CLIENTS).map((number) => ['team', number, 'missing'] as const);

  it.each([
    ['Contoso, Inc.', ['18/1', '18/2']],
    ['contoso inc', ['18/1', '18/2']],
    ['Contoso', ['18/1', '18/2', '18/3']],
    ['FABRIKAM', ['18/4']],
    ['Northwind', []],
    // Who cannot be told is found by no name.
    ['Сontoso', []],
  ])('of the client %s are those of who is meant', async (client, numbers) => {
    await found(...all);
    const wanted = numbers.map((number) => `${number} missing`);
    expect(await listed(['--client', client], hart)).toEqual(wanted);
    expect(await reviewed(['--client', client], hart)).toEqual([numbers.length, numbers.length]);
    expect(await listed(['--client', client], hart)).toEqual([]);
    expect(await listed([], hart)).toHaveLength(all.length - numbers.length);
  });

  it('are distinguished by target and kind, and a review ends no other', async () => {
    await found(
      ['team', '18/1', 'missing'],
      ['team', '18/1', 'twice'],
      ['lead', '18/1', 'missing'],
      ['lead', '18/4', 'missing'],
    );
    expect(await listed(['--target', 'team'], hart)).toEqual(['18/1 missing', '18/1 twice']);
    expect(await listed(['--kind', 'missing'], hart)).toHaveLength(3);
    const words = ['--target', 'lead', '--kind', 'missing', '--client', 'CONTOSO INC'];
    expect(await listed(words, hart)).toEqual(['18/1 missing']);
    expect(await reviewed(words, hart)).toEqual([1, 1]);
    expect(await listed(['--target', 'team'], hart)).toEqual(['18/1 missing', '18/1 twice']);
    expect(await listed(['--target', 'lead'], hart)).toEqual(['18/4 missing']);
  });

  it('are shown to and reviewed by no one behind a wall, and the answer is as if there were none', async () => {
    await found(...all);
    // Contoso is walled off from her, whoever it may be and however it is written.
    expect(await listed([], ruiz)).toEqual(['18/4 missing']);
    for (const client of ['Contoso, Inc.', 'CONTOSO INC', 'Contoso', 'Northwind']) {
      expect(await listed(['--client', client], ruiz)).toEqual([]);
      expect(await reviewed(['--client', client], ruiz)).toEqual([0, 0]);
    }
    expect(await reviewed(['--target', 'team'], ruiz)).toEqual([1, 1]);
    expect(await listed([], hart)).toEqual(
      ['18/1', '18/2', '18/3', '18/5'].map((number) => `${number} missing`),
    );
    expect(await listed([], nobody)).toEqual([]);
    const { code } = await desk.run(['--json', 'recovery', 'review', '--target', 'team'], nobody);
    expect(code).toBe(4);
  });
});

describe('recovery review', () => {
  it.each([[[]], [['DOCKET', '--kind', 'missing']]])(
    'asks for a docket or for options, not for %j',
    async (words) => {
      const { code, stdout } = await desk.run(['--json', 'recovery', 'review', ...words], hart);
      expect([code, /"code":"(\w+)"/.exec(stdout)?.[1]]).toEqual([2, 'USAGE']);
    },
  );
});

function matrixFile(): Promise<string> {
  const target = { kind: 'http', address: 'https://firm.example/in', party: 'hart' };
  const matrix = {
    kind: 'routing-matrix',
    format: 1,
    title: 'A firm with one person',
    targets: { team: target, lead: target },
    nodes: {
      team: { tier: 'PRIMARY', target: 'team', next: ['desk'] },
      desk: { tier: 'MANUAL', target: 'lead' },
    },
    routes: [{ client: '*', technology_group: '*', event: '*', start: 'team' }],
    privileged: ['hart'],
  };
  return desk.file('matrix.json', JSON.stringify(matrix));
}

function peopleFile(): Promise<string> {
  const everything = ['client:*', 'class:*', 'privilege:*'];
  const people = {
    kind: 'people',
    format: 1,
    zone: 'America/New_York',
    persons: {
      hart: { name: 'Judith Hart', target: 'lead', allow: everything },
      ruiz: { name: 'Elena Ruiz', allow: everything, deny: ['client:Contoso'] },
    },
    teams: {},
  };
  return desk.file('people.json', JSON.stringify(people));
}
