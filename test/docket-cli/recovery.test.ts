/** `recovery run|approve|review` through the command line, with a real endpoint, a real router and a real store. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { RunningRouter } from '../../src/dockets/routing/router.ts';
import { until } from '../delivery/waiting.ts';
import { Endpoint } from '../dockets/firm-server.ts';
import { law, quick } from '../dockets/stage.ts';
import { type Json, textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

const ROWS = ['18/1', '18/2', '18/3'];
const WHY = 'Compared by hand with the list of the firm.';

let desk: DeskLine;
let app: Filewright;
let router: RunningRouter;
let team: Endpoint;
let lead: Endpoint;
let hart: Person;
let moreau: Person;
let ruiz: Person;
let nobody: Person;

beforeAll(async () => {
  desk = await DeskLine.make();
  [team, lead] = [await new Endpoint('team').listen(), await new Endpoint('lead').listen()];
  hart = await desk.person('Judith Hart');
  moreau = await desk.person('Claire Moreau', hart);
  ruiz = await desk.person('Elena Ruiz', hart);
  nobody = await desk.person('Nora Nobody', hart);
  await desk.route([await matrixFile(), await peopleFile()], hart);
  app = await createFilewright({ dataDirectory: desk.path('data'), environment: OWN_MACHINE });
  router = await app.router({
    law: () => law,
    policy: quick,
    transport: { allowPrivateAddresses: () => ANY_PRIVATE },
    pollMs: 20,
    recovery: { everyMs: 50 },
  });
});
afterAll(async () => {
  await router?.stop();
  await app?.close();
  await Promise.all([team.close(), lead.close()]);
  await desk.close();
});

function matrixFile(): Promise<string> {
  const target = (endpoint: Endpoint, party: string) => ({
    kind: 'http',
    address: endpoint.url,
    party,
  });
  const matrix = {
    kind: 'routing-matrix',
    format: 1,
    title: 'A firm with one team',
    targets: { team: target(team, 'team'), lead: target(lead, 'moreau') },
    nodes: {
      team: { tier: 'PRIMARY', target: 'team', next: ['lead'] },
      lead: { tier: 'SECONDARY', target: 'lead', next: ['desk'] },
      desk: { tier: 'MANUAL', target: 'lead' },
    },
    routes: [{ client: '*', technology_group: '*', event: '*', start: 'team' }],
    privileged: ['moreau'],
  };
  return desk.file('matrix.json', JSON.stringify(matrix));
}

function peopleFile(): Promise<string> {
  const people = {
    kind: 'people',
    format: 1,
    zone: 'America/New_York',
    persons: {
      hart: { name: 'Judith Hart', allow: ['client:*'] },
      moreau: { name: 'Claire Moreau', target: 'lead', allow: ['client:*'] },
      ruiz: { name: 'Elena Ruiz', allow: ['client:Contoso'] },
    },
    teams: { team: { name: 'The team', members: ['moreau'] } },
  };
  return desk.file('people.json', JSON.stringify(people));
}

async function status(): Promise<Json> {
  const { runs } = await desk.data(['recovery', 'status'], hart);
  return (runs as readonly Json[])[0] ?? {};
}

async function awaits(state: string): Promise<void> {
  await until(async () => {
    const { state: found } = await status();
    return found !== undefined && textAt(found, 'state') === state;
  });
}

const refusal = async (words: readonly string[], by: Person): Promise<[number | null, string]> => {
  const { code, stdout } = await desk.run(['--json', ...words], by);
  return [code, /"code":"(\w+)"/.exec(stdout)?.[1] ?? ''];
};

describe('a target that failed', () => {
  const approve = ['recovery', 'approve', 'team', '--reason', WHY];
  let dockets: readonly string[] = [];

  it('needs no approval yet: one is refused with what it is doing', async () => {
    team.mode = { kind: 'status', status: 500 };
    team.health = 500;
    const rows = ROWS.map((application_number) =>
      JSON.stringify({
        application_number,
        filing_date: '2024-03-11',
        event_code: 'CTNF',
        due_date: '2099-01-05',
        client: 'Northwind',
      }),
    );
    const file = await desk.file('events.ndjson', rows.join('\n'));
    await desk.data(['docket', 'import', file], hart);
    await until(async () => (await status())['target'] === 'team');
    const listed = await desk.data(['docket', 'list'], hart);
    dockets = listAt(listed, 'dockets').map((one) => textAt(one, 'docket'));
    expect(await refusal(approve, hart)).toEqual([4, 'REFUSED_BY_RULE']);
    expect(await refusal(['recovery', 'run', 'nothing'], hart)).toEqual([3, 'NOT_FOUND']);
  });

  it('is hurried and approved by persons of the people file alone', async () => {
    expect(await refusal(['recovery', 'run', 'team'], nobody)).toEqual([4, 'REFUSED_BY_RULE']);
    await desk.data(['recovery', 'run', 'team'], moreau);
    // Its docket database holds one of them twice: nothing that a program may settle.
    await until(async () => lead.counts().size === ROWS.length);
    const records = lead.taken.map(({ id, body }) => ({
      message_id: id,
      payload_sha256: createHash('sha256').update(body).digest('hex'),
    }));
    team.records = [...records, ...records.slice(0, 1)];
    team.mode = { kind: 'well' };
    team.health = 200;
    await awaits('awaiting_approval');
    expect(await refusal(approve, nobody)).toEqual([4, 'REFUSED_BY_RULE']);
    expect(await refusal(['recovery', 'approve', 'team', '--reason', 'ok'], hart)).toEqual([
      2,
      'USAGE',
    ]);
    expect(await refusal(approve, moreau)).toEqual([4, 'SELF_APPROVAL']);
    expect(team.synthetics).toEqual([]);
  });

  it('comes back by the approval of a second person, whose reason is in the ledger', async () => {
    await desk.data(approve, hart);
    await until(async () => {
      const { breakers } = await desk.data(['recovery', 'status'], hart);
      return (breakers as readonly Json[]).length === 0;
    });
    expect(team.synthetics).toHaveLength(1);
    const lines = listAt(await desk.data(['audit', 'log', '--limit', '1000'], hart), 'lines');
    const approved = lines.filter((one) => JSON.stringify(one['facts']).includes(WHY));
    expect(approved.map((one) => [one['type'], one['by']])).toEqual([
      ['recovery.step', 'Judith Hart'],
    ]);
    expect(lines.some((one) => one['type'] === 'recovery.closed')).toBe(true);
    expect(await refusal(approve, hart)).toEqual([3, 'NOT_FOUND']);
  });

  it('has its differences reviewed by who may see the docket, once', async () => {
    for (const id of dockets) {
      expect(await refusal(['recovery', 'review', id], ruiz)).toEqual([3, 'NOT_FOUND']);
    }
    const { runs } = await desk.data(['recovery', 'status', '--all'], moreau);
    const [run] = runs as readonly Json[];
    const twice = textAt(listAt(run ?? {}, 'differences')[0], 'docket');
    const reviewed = await desk.data(['recovery', 'review', twice], moreau);
    expect(Number(reviewed['reviewed'])).toBeGreaterThan(0);
    expect(await refusal(['recovery', 'review', twice], moreau)).toEqual([3, 'NOT_FOUND']);
    const lines = listAt(await desk.data(['audit', 'log', '--limit', '1000'], hart), 'lines');
    const facts = lines.filter((one) => one['type'] === 'docket.reviewed');
    expect(facts.map((one) => [one['subject'], one['by']])).toEqual([
      [`docket ${twice}`, 'moreau'],
    ]);
  });
});
