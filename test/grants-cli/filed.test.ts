/** Duties of awards end: filed with proof, once, corrected by another person, and opened again. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { House, listAt, STATES, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];
let theo: readonly string[];
let duties: readonly Json[];

const listed = async (...more: string[]): Promise<readonly Json[]> =>
  listAt(await house.data(['obligation', 'list', ...more]), 'obligations').filter(
    (one) => one['pack'] === 'grants',
  );
const evaluate = () =>
  house.data([...nora, 'grants', 'rules', '2026', ...STATES, '--return', '990']);

beforeAll(async () => {
  house = await House.open();
  ({ nora, theo } = await house.twoPeople());
  await house.data([...nora, 'grants', 'ingest', `${YEAR}/awards-federal.ndjson`]);
  await evaluate();
  duties = (await listed()).filter((one) => one['due'] !== undefined);
  await writeFile(join(house.folder, 'receipt.pdf'), '%PDF-1.7 filed');
});
afterAll(() => house.close());

const idOf = (kind: string): string =>
  textAt(
    duties.find((one) => one['filingKind'] === kind),
    'id',
  );
const filed = (id: string, receipt: string, ...more: string[]): readonly string[] => [
  'grants',
  'filed',
  id,
  '--receipt',
  receipt,
  '--filed-on',
  '2026-05-04',
  ...more,
];

it('an audit under its threshold is conditional, a return is not', async () => {
  const audit = duties.find((one) => one['filingKind'] === 'singleAudit');
  expect(textAt(audit, 'condition')).toContain('single audit threshold');
  expect(duties.find((one) => one['filingKind'] === 'form990')).not.toHaveProperty('condition');
  const { stdout } = await house.run('obligation', 'list');
  expect(stdout).toMatch(/singleAudit .*conditional/);
  expect(stdout).toContain('owed only if federal expenditures of the year');
});

it('a filed return is met, with its proof, and stays so when the rules are run again', async () => {
  const id = idOf('form990');
  const proof = ['--confirmation', 'receipt.pdf'];
  expect(await house.data([...nora, ...filed(id.slice(0, 14), 'IRS-1', ...proof)])).toMatchObject({
    obligation: id,
    filingKind: 'form990',
    n: 1,
  });
  await evaluate();
  expect((await listed()).map((one) => one['id'])).not.toContain(id);
  expect(await listed('--state', 'met')).toMatchObject([{ id, state: 'met' }]);
  const opened = await house.data([...nora, 'grants', 'proof', id, '--out', 'again.pdf']);
  expect(opened).toMatchObject({ receipt: 'IRS-1', filedOn: '2026-05-04', name: 'receipt.pdf' });
  expect(await house.text('again.pdf')).toBe('%PDF-1.7 filed');
  expect(await house.run('grants', 'proof', id)).toMatchObject({ code: 4 });
});

it('a receipt proves one duty; a slip is corrected by another person, never by nobody', async () => {
  const id = idOf('form990');
  const other = duties.map((one) => textAt(one, 'id')).find((one) => one !== id);
  if (other === undefined) throw new Error('expected another duty');
  for (const receipt of ['IRS-1', 'irs 1', 'lRS-I', 'ＩＲＳ－１']) {
    const again = await house.run(...nora, ...filed(other, receipt));
    expect(again.code, receipt).toBe(4);
    expect(again.stderr).toContain('is recorded for another duty');
  }
  const file = await house.run(...nora, ...filed(other, 'X-2', '--confirmation', 'receipt.pdf'));
  expect(file).toMatchObject({ code: 4 });
  expect(await house.run(...nora, ...filed(id, 'IRS-2'))).toMatchObject({ code: 4 });
  const correct = filed(id, 'IRS-2', '--correct', 'two digits were swapped');
  expect(await house.run(...nora, ...correct)).toMatchObject({ code: 4 });
  expect(await house.data([...theo, ...correct])).toMatchObject({ n: 2 });
  const opened = await house.data([...nora, 'grants', 'proof', id]);
  expect(opened).toMatchObject({ receipt: 'IRS-2', bytes: 0 });
  const nothing = await house.run(
    ...theo,
    ...filed(other, 'X-3', '--correct', 'a slip of the pen'),
  );
  expect(nothing).toMatchObject({ code: 4 });
  const late = [...filed(other, 'X-4').slice(0, -1), '2999-01-01'];
  expect(await house.run(...nora, ...late)).toMatchObject({ code: 2 });
  expect(await house.run(...nora, ...filed('fwo1-ffffffffff', 'X-5'))).toMatchObject({ code: 3 });
  expect(await house.run('audit', 'verify', '--bodies', '--rows')).toMatchObject({ code: 0 });
});
