/** One story of sixteen bank events, as each format tells it. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { checkContinuity } from '../../src/grants/rules/feeds/continuity.ts';
import type {
  FeedFormat,
  LineEvent,
  StatementEndEvent,
} from '../../src/grants/rules/feeds/feed-events.ts';
import { eventsOf, fixture, linesOf } from './support.ts';

interface BankEvent {
  readonly id: string;
  readonly nativeId: string;
  readonly date: string;
  readonly amount: number;
  readonly dc: 'C' | 'D';
  readonly payer: string;
  readonly ref: string | null;
  readonly trace: string | null;
  readonly code: string;
  readonly status: 'BOOK' | 'PDNG';
  readonly currency: string;
}

// The file is ours and checked in; its shape is the interface above.
const story = JSON.parse(fixture('reco-001.expected.json').toString()) as {
  readonly bankEvents: readonly BankEvent[];
};

const booked = 'B01 B02 B03 B04 B05 B06 B07 B08 B10 B11 B12 B13 B15'.split(' ');
const TOLD: readonly { file: string; format: FeedFormat; ids: readonly string[] }[] = [
  { file: 'reco-001.camt053.xml', format: 'camt.053', ids: [...booked, 'B16'] },
  { file: 'reco-001.camt052.xml', format: 'camt.052', ids: ['B09'] },
  { file: 'reco-001.ofx', format: 'ofx', ids: [...booked, 'B09'] },
  { file: 'reco-001.bai2.txt', format: 'bai2', ids: booked },
  { file: 'reco-001.mt940.txt', format: 'mt940', ids: booked },
];

/** What every format can say; the transaction code, reversal flag and value date are its own. */
function expectedOf(event: BankEvent) {
  return {
    account: '000123456789',
    nativeId: event.nativeId,
    date: event.date,
    amountCents: event.amount,
    currency: event.currency,
    direction: event.dc === 'C' ? 'credit' : 'debit',
    status: event.status === 'BOOK' ? 'booked' : 'pending',
    counterparty: event.payer,
    reference: event.ref ?? undefined,
    trace: event.trace ?? undefined,
  };
}

function foundOf(line: LineEvent, event: BankEvent | undefined) {
  return {
    account: line.account,
    nativeId: line.nativeId,
    date: formatDay(line.bookingDate),
    amountCents: line.amountCents,
    currency: line.currency,
    direction: line.direction,
    status: line.status,
    counterparty: line.counterparty,
    reference: line.references.find((reference) => reference === event?.ref) ?? undefined,
    trace: line.trace,
  };
}

const byKey = (a: { nativeId: string | undefined }, b: { nativeId: string | undefined }): number =>
  (a.nativeId ?? '').localeCompare(b.nativeId ?? '');

describe('the files of reco-001', () => {
  it.each(TOLD)('$file tells the same events', async ({ file, format, ids }) => {
    const events = story.bankEvents.filter((event) => ids.includes(event.id));
    const lines = await linesOf(fixture(file), format);
    const found = lines.map((line) =>
      foundOf(
        line,
        events.find((event) => event.nativeId === line.nativeId),
      ),
    );
    expect(found.sort(byKey)).toEqual(events.map(expectedOf).sort(byKey));
  });

  it.each(TOLD)('$file is found out by its first bytes', async ({ file, format }) => {
    expect((await eventsOf(fixture(file))).at(-1)).toMatchObject({ kind: 'end', format });
  });

  // With the format given, nothing is gathered before the reader begins, so that it sees every cut.
  it.each([...TOLD, { file: 'reco-001.nacha-ccdplus.ach', format: 'nacha' as const }])(
    '$file gives the same events in chunks of one byte',
    async ({ file, format }) => {
      const whole = await eventsOf(fixture(file));
      for (const chunkBytes of [1, 7, 1000]) {
        expect(await eventsOf(fixture(file), { format, chunkBytes })).toEqual(whole);
      }
    },
  );

  it.each(TOLD)('$file with CR LF gives the same lines', async ({ file }) => {
    const text = fixture(file).toString().replaceAll(/\r?\n/g, '\r\n');
    const without = (lines: LineEvent[]) => lines.map(({ place, ...rest }) => [place.line, rest]);
    expect(without(await linesOf(text))).toEqual(without(await linesOf(fixture(file))));
  });

  it('the NACHA file holds B01 and B03 by amount, reference and trace', async () => {
    const lines = await linesOf(fixture('reco-001.nacha-ccdplus.ach'), 'nacha');
    const wanted = story.bankEvents.filter((event) => event.id === 'B01' || event.id === 'B03');
    expect(
      lines.map(({ account, amountCents, direction, references, trace, isReversal }) => ({
        account,
        amountCents,
        direction,
        reference: references[0],
        trace,
        isReversal,
      })),
    ).toEqual(
      wanted.map((event) => ({
        account: '000123456789',
        amountCents: event.amount,
        direction: 'credit',
        reference: event.ref,
        trace: event.trace,
        isReversal: false,
      })),
    );
  });

  it('reversals are marked where the format can mark them', async () => {
    for (const file of ['reco-001.camt053.xml', 'reco-001.mt940.txt']) {
      const lines = await linesOf(fixture(file));
      expect(lines.filter((line) => line.isReversal).map((line) => line.nativeId)).toEqual([
        'TRN260319-0001',
      ]);
    }
  });

  it('balances prove the lines in camt.053, BAI2 and MT940; a pending entry is not counted', async () => {
    for (const file of ['reco-001.camt053.xml', 'reco-001.bai2.txt', 'reco-001.mt940.txt']) {
      const ends = await endsOf(file);
      expect(ends.every((end) => end.proof === 'balances')).toBe(true);
      expect(ends[0]?.opening?.amountCents).toBe(10_000_000);
      expect(ends.at(-1)?.closing?.amountCents).toBe(42_575_168);
    }
    expect((await endsOf('reco-001.ofx'))[0]).toMatchObject({
      proof: 'none',
      // What the lines lead back to; it is held against the balance of the download before.
      opening: { amountCents: 6_666_667 },
      closing: { amountCents: 42_575_168, currency: 'USD' },
    });
  });

  it('the nine days of the BAI2 file follow on one another; without one of them they do not', async () => {
    const ends = await endsOf('reco-001.bai2.txt');
    expect(ends).toHaveLength(9);
    const kinds = (list: readonly StatementEndEvent[]): string[] =>
      list.map((end, at) => checkContinuity(list[at - 1], end).kind);
    expect(kinds(ends)).toEqual(['first', ...Array<string>(8).fill('continuous')]);
    expect(kinds(ends.toSpliced(4, 1))[4]).toBe('broken');
  });
});

async function endsOf(file: string): Promise<StatementEndEvent[]> {
  const events = await eventsOf(fixture(file));
  return events.filter((event): event is StatementEndEvent => event.kind === 'statementEnd');
}
