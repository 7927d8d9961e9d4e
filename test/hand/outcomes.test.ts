/**
 * What comes back from the office: one receipt and one file prove one filing, however they are spelled, and a table of many is
 * recorded row by row. The adversary: a slip of the pen, a scan, a spreadsheet program, and whoever shares one proof in silence.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFilewright } from '../../src/app.ts';
import { sayInHand } from '../../src/filings/acts/hand-say.ts';
import { takeFiling } from '../../src/filings/acts/hand.ts';
import {
  approveHandCorrection,
  proposeHandCorrection,
} from '../../src/filings/acts/hand-corrections.ts';
import { handSheet } from '../../src/filings/acts/hand-sheet.ts';
import { sheetPdf } from '../../src/filings/acts/hand-sheet-text.ts';
import { acceptFiling } from '../../src/filings/acts/reviews-closing.ts';
import { importOutcomes } from '../../src/filings/acts/hand-outcomes.ts';
import type { FilingView } from '../../src/filings/store/filings.ts';
import type { SheetChoices } from '../../src/intake/sheet/open-sheet.ts';
import { SheetQuestion } from '../../src/intake/sheet/question.ts';
import { xlsxFile } from '../fixtures/xlsx-file.ts';
import { HandWorld, PDF } from './world.ts';

let world: HandWorld;
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
  await world.lane('US-WY');
}, 60_000);
afterAll(() => world?.close());

const REFUSED = { code: 'REFUSED_BY_RULE' };

async function inHand(count: number, lane = 'US-NV'): Promise<readonly FilingView[]> {
  const { filings } = await world.batch(count, { lane });
  for (const { id } of filings) await takeFiling(world.app, world.paula, { name: id });
  return filings;
}

function first<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined) throw new Error('expected one');
  return one;
}

describe('a receipt', () => {
  it.each([
    ['in small letters', 'NV-A7-0001', 'nv-a7-0001'],
    ['with another sign between', 'NV-A7-0002', 'NV.A7/0002'],
    ['without the sign', 'NV-B7-0003', 'NVB7-0003'],
    ['with an O for a 0', 'NV-C7-0004', 'NV-C7-OO04'],
    ['with an l for a 1', 'NV-D7-1115', 'NV-D7-1l15'],
  ])('that is %s is no other one', async (_how, one, other) => {
    const [mine, theirs] = await inHand(2);
    if (mine === undefined || theirs === undefined) throw new Error('expected two');
    await world.say(world.paula, mine, world.filed(mine, { receipt: one }));
    const again = world.say(world.paula, theirs, world.filed(theirs, { receipt: other }));
    await expect(again).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(mine.id) as string,
    });
  });

  it('that is really another is taken, and so is the same of another office', async () => {
    const filings = await inHand(2);
    const [other] = await inHand(1, 'US-WY');
    const numbers = ['2027-1-11', '2027-11-1'];
    for (const [at, filing] of filings.entries()) {
      await world.say(world.paula, filing, world.filed(filing, { receipt: numbers[at] ?? '' }));
    }
    if (other === undefined) throw new Error('expected one');
    await world.say(world.paula, other, world.filed(other, { receipt: '2027-1-11' }));
    expect((await world.filing(other.id)).status).toBe('accepted');
  });

  it('in two spellings at the same moment is one filing’s', async () => {
    const filings = await inHand(2);
    const numbers = ['NV-RACE-77', 'nv-race-77'];
    const other = await createFilewright({ dataDirectory: join(world.folder, 'data') });
    try {
      const said = await Promise.allSettled(
        filings.map((filing, at) => {
          const saying = world.filed(filing, { receipt: numbers[at] ?? '' });
          return sayInHand(at === 0 ? world.app : other, world.paula, filing.id, saying);
        }),
      );
      expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(said.find(({ status }) => status === 'rejected')).toMatchObject({ reason: REFUSED });
    } finally {
      await other.close();
    }
  });

  it('whose spelling two people corrected is still one, and frees what was a slip', async () => {
    const [mine, theirs] = await inHand(2);
    if (mine === undefined || theirs === undefined) throw new Error('expected two');
    await world.say(world.paula, mine, world.filed(mine, { receipt: 'NV-SLIP-5' }));
    for (const receipt of ['nv-slip-5', 'NV-RIGHT-6']) {
      const wanted = { receipt, filedAt: undefined, feeCents: undefined };
      const reason = 'the number was typed wrong';
      const filing = mine.id;
      const asked = await proposeHandCorrection(world.app, world.paula, {
        filing,
        reason,
        ...wanted,
      });
      const input = { filing, expectHash: asked.sha256 };
      await approveHandCorrection(world.app, world.arthur, input);
    }
    await world.say(world.paula, theirs, world.filed(theirs, { receipt: 'NV-SLIP-5' }));
    expect(await world.filing(theirs.id)).toMatchObject({ receipt: 'NV-SLIP-5' });
    expect(await world.ledgerStands()).toBe(true);
  });
});

describe('two receipts that were exchanged', () => {
  it('are put right by corrections of two people, and neither is stuck with the other', async () => {
    const [a, b] = await inHand(2);
    if (a === undefined || b === undefined) throw new Error('expected two');
    await world.say(world.paula, a, world.filed(a, { receipt: 'NV-OF-B' }));
    await world.say(world.paula, b, world.filed(b, { receipt: 'NV-OF-A' }));
    const correct = async (filing: string, receipt: string): Promise<void> => {
      const wanted = { receipt, filedAt: undefined, feeCents: undefined };
      const reason = 'the papers were exchanged';
      const asked = await proposeHandCorrection(world.app, world.paula, {
        filing,
        reason,
        ...wanted,
      });
      const input = { filing, expectHash: asked.sha256 };
      await approveHandCorrection(world.app, world.arthur, input);
    };
    await expect(correct(a.id, 'nv-of-a')).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('a number that no filing has') as string,
    });
    await correct(a.id, 'NV-EXCHANGED-1');
    await correct(b.id, 'NV-OF-B');
    await correct(a.id, 'NV-OF-A');
    expect(await world.filing(a.id)).toMatchObject({ receipt: 'NV-OF-A' });
    expect(await world.filing(b.id)).toMatchObject({ receipt: 'NV-OF-B' });
    expect(await world.ledgerStands()).toBe(true);
  });
});

describe('a file that the office gave for several', () => {
  it('is attached to one more only by who says so', async () => {
    const [a, b] = await inHand(2);
    if (a === undefined || b === undefined) throw new Error('expected two');
    const evidence = { kind: 'file', name: 'all.pdf', bytes: PDF('for several') } as const;
    await world.say(world.paula, a, world.filed(a, { evidence, isShared: true }));
    await expect(world.say(world.paula, b, world.filed(b, { evidence }))).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(a.id) as string,
    });
    await world.say(world.paula, b, world.filed(b, { evidence, isShared: true }));
  });
});

it('a file that proved a filing in a review proves no other one, and the other way round', async () => {
  const [refused, again, third] = await inHand(3);
  if (refused === undefined || again === undefined || third === undefined)
    throw new Error('expected three');
  for (const filing of [refused, again]) {
    const words = 'The name is not the one on record.';
    await world.say(world.paula, filing, { kind: 'refused', code: 'NAME', words });
  }
  const evidence = { kind: 'file', name: 'letter.pdf', bytes: PDF('their letter') } as const;
  const reason = 'the office took it after all';
  const accept = (filing: FilingView, receipt: string, isShared: boolean) =>
    acceptFiling(world.app, world.paula, { id: filing.id, reason, receipt, evidence, isShared });
  await accept(refused, 'NV-LETTER-1', false);
  const other = { ...REFUSED, message: expect.stringContaining(refused.id) as string };
  await expect(accept(again, 'NV-LETTER-2', false)).rejects.toMatchObject(other);
  await expect(
    world.say(world.paula, third, world.filed(third, { evidence })),
  ).rejects.toMatchObject(other);
  // A receipt that two share is named as it stands there.
  await expect(accept(again, 'nv-letter-1', true)).rejects.toMatchObject(other);
  await accept(again, 'NV-LETTER-1', true);
  await world.say(world.paula, third, world.filed(third, { evidence, isShared: true }));
  expect(await world.ledgerStands()).toBe(true);
});

it('the sheet that says what to type is no confirmation', async () => {
  const filing = first(await inHand(1));
  const sheet = await handSheet(world.app, world.paula, filing.id);
  const bytes = await sheetPdf(sheet, world.app.clock.now());
  const evidence = { kind: 'file', name: 'sheet.pdf', bytes } as const;
  const said = world.say(world.paula, filing, world.filed(filing, { evidence }));
  await expect(said).rejects.toMatchObject({
    code: 'CASE_INVALID',
    message: expect.stringContaining('the sheet that says what to type') as string,
  });
});

describe('a table of outcomes', () => {
  let tables = 0;
  const HEAD = 'filing,receipt,filed_at,fee,fee_reason,confirmation,without_file,shared';

  function written(content: string | Uint8Array, ending = 'csv'): string {
    tables += 1;
    const path = join(world.folder, `outcomes-${tables}.${ending}`);
    writeFileSync(path, content);
    return path;
  }

  const now = (): string => `${new Date(world.app.clock.now()).toISOString().slice(0, 19)}Z`;
  const pdf = (name: string, text = name): string => {
    writeFileSync(join(world.folder, name), PDF(text));
    return name;
  };
  const run = (path: string, dryRun: boolean, choices: SheetChoices = {}) =>
    importOutcomes(world.app, world.paula, { path, dryRun, choices, errorFile: `${path}.errors` });

  it('promises in a dry run what it then does: one receipt, one file and one row for each filing', async () => {
    const [a, b, c, d, e] = await inHand(5);
    const w = first(await inHand(1, 'US-WY'));
    const at = now();
    const one = pdf('t-1.pdf');
    const rows = [
      `${a?.id},T-100,${at},225.00,,${one},,`,
      // The same number at another office, and the same row once more.
      `${w.id},T-100,${at},225.00,,${pdf('t-w.pdf')},,`,
      `${a?.id},T-100,${at},225.00,,${one},,`,
      // Another number for what is filed; a number and a file of another row; a slip in the fee.
      `${a?.id},T-101,${at},225.00,,${pdf('t-2.pdf')},,`,
      `${b?.id},t-1OO,${at},225.00,,${pdf('t-3.pdf')},,`,
      `${b?.id},T-103,${at},225.00,,${one},,`,
      `${b?.id},T-104,${at},22.50,,${pdf('t-4.pdf')},,`,
      `${c?.id},4.81E+11,${at},225.00,,${pdf('t-5.pdf')},,`,
      `${d?.id},T-106,${at},$225.00,,${one},,yes`,
      `${e?.id},T-107,${at},225,,,the clerk read it to me on the phone,`,
      `no-such-filing,T-108,${at},225.00,,${pdf('t-6.pdf')},,`,
      `,T-109,${at},225.00,,${pdf('t-7.pdf')},,`,
    ];
    const path = written(`${[HEAD, ...rows].join('\n')}\n`);
    const would = await run(path, true);
    expect(would).toMatchObject({ rows: 12, created: 4, unchanged: 1, refused: 7 });
    expect((await world.filing(a?.id ?? '')).status).toBe('submitted');
    const did = await run(path, false);
    const { errorFile, ...counts } = did;
    const told = ({ sheet: _sheet, ...rest }: typeof would) => rest;
    expect(told({ ...counts, errorFile: undefined })).toEqual(told(would));
    expect(errorFile).toBeDefined();
    // Once more: what is on record stays, and says so; what differs from the record does not pass as known.
    expect(await run(path, false)).toMatchObject({ created: 0, unchanged: 5, refused: 7 });
    const other = written(`${HEAD}\n${a?.id},T-100,${at},200.00,a discount,${one},,\n`);
    expect(await run(other, false)).toMatchObject({
      refused: 1,
      errors: [{ where: 'fee', why: expect.stringContaining('225.00') as string }],
    });
    expect(await world.ledgerStands()).toBe(true);
  });

  it('is read as a spreadsheet program saves it, and asked about where it can be read in two ways', async () => {
    const filings = await inHand(2);
    const [day, clock] = now().slice(0, 16).split('T');
    const [year, month, of] = (day ?? '').split('-').map(Number);
    const lines = filings.map(
      ({ id }, at) =>
        `${id};X-${id.slice(-6)}-${at};${month}/${of}/${year} ${clock};"225,00";${pdf(`x-${at}-${id}.pdf`)}`,
    );
    const table = `Key;Confirmation No.;Date Filed;Fee Paid;Confirmation File\r\n${lines.join('\r\n')}\r\n`;
    const path = written(Buffer.from(`\ufeff${table}`, 'utf16le'));
    const asked = await run(path, true).catch((error: unknown) => error);
    expect(asked).toBeInstanceOf(SheetQuestion);
    const accept = { acceptMap: true, dates: 'month-first' } as const;
    // The office's clock is behind UTC, so that what was just filed is still to come there; a look at the words is enough.
    const would = await run(path, true, accept);
    expect(would.rows).toBe(2);
    expect(would.errors.every(({ why }) => why.includes('expected a time that has passed'))).toBe(
      true,
    );
    const zulu = lines.map((line) => line.replace(/;\d+\/\d+\/\d+ [\d:]+;/, `;${now()};`));
    const right = written(
      Buffer.from(`\ufeff${table.split('\r\n')[0]}\r\n${zulu.join('\r\n')}\r\n`, 'utf16le'),
    );
    expect(await run(right, false, accept)).toMatchObject({ created: 2, refused: 0 });
  });

  it('is read from a workbook', async () => {
    const filing = first(await inHand(1));
    const rows = [HEAD.split(','), [filing.id, 'XL-0001', now(), 225, '', pdf('xl.pdf'), '', '']];
    const path = written(xlsxFile({ sheets: [{ name: 'Receipts', rows }] }), 'xlsx');
    expect(await run(path, false)).toMatchObject({ created: 1, refused: 0 });
    expect(await world.filing(filing.id)).toMatchObject({ receipt: 'XL-0001' });
  });
});
