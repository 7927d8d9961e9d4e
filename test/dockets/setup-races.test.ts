/** Several people change matrix, people and absences at the same moment: nothing that one of them said is undone. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createFilewright, type Filewright } from '../../src/app.ts';
import { changeRouting, loadRouting, setAbsence } from '../../src/dockets/routing/setup.ts';
import { findRoutingDocument } from '../../src/dockets/store/setup.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { Stage } from './stage.ts';

const ACTOR = { kind: 'user', id: 'test' } as const;
const SESSIONS = 4;

let server: Server;
let stage: Stage;
let others: Filewright[] = [];
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => {
  await Promise.all(others.map((app) => app.close()));
  await stage?.close();
});

/** The same firm on connections of their own, as so many commands have them. */
async function sessions(): Promise<Stage['parts'][]> {
  const { tenant } = stage.parts;
  const { dataDirectory } = server;
  others = await Promise.all(
    Array.from({ length: SESSIONS }, () => createFilewright({ dataDirectory, tenant })),
  );
  return others.map(({ session }) => ({ ...stage.parts, session }));
}

it('absences that are noted at the same moment are all kept', async () => {
  stage = await Stage.set(server);
  const before = await loadRouting(stage.parts);
  const days = Array.from({ length: 12 }, (_, at) => `2097-01-${String(at + 1).padStart(2, '0')}`);
  const all = await sessions();
  await Promise.all(
    all.map(async (parts, place) => {
      for (const from of days.filter((_, at) => at % SESSIONS === place)) {
        await setAbsence(parts, { person: 'ruiz', from, to: from, delegate: 'moreau' }, ACTOR);
      }
    }),
  );
  const after = await loadRouting(stage.parts);
  expect(after.people.absences).toHaveLength(days.length);
  expect(after.n).toBe(before.n + days.length);
});

it('a change that was made from another setup than the one that holds is made again', async () => {
  stage = await Stage.set(server);
  const [first, second] = await sessions();
  if (first === undefined || second === undefined) throw new Error('expected two sessions');
  const seen: (number | undefined)[] = [];
  const done = await changeRouting(
    first,
    async (active) => {
      seen.push(active?.n);
      if (active === undefined) throw new Error('expected a firm with a matrix');
      const { session, tenant } = first;
      const people = await findRoutingDocument(session, tenant, 'people', active.peopleVersion);
      // Between our look and our change somebody else imports another matrix.
      if (seen.length === 1) await stage.activate({ title: 'Another matrix' });
      const { version } = active.matrix;
      const matrix = await findRoutingDocument(session, tenant, 'matrix', version);
      const text = JSON.stringify({ ...JSON.parse(people.body), zone: 'America/Chicago' });
      return { matrix: { file: 'kept', text: matrix.body }, people: { file: 'new', text } };
    },
    ACTOR,
  );
  expect(seen).toEqual([1, 2]);
  expect([done.n, done.matrix.title]).toEqual([3, 'Another matrix']);
  expect((await loadRouting(second)).matrix.title).toBe('Another matrix');
});
