/**
 * Grants from award documents and a bank feed to matches, in memory: records a second, heap, and how the matcher's cost
 * grows. Seconds are those of the processor, all threads together.
 */
import { instant } from '../src/core/index.ts';
import { readFeed } from '../src/packs/grants/feeds/index.ts';
import {
  type BankLine,
  type ExpectedReceipt,
  grantsLawFrom,
  ingestAward,
  linesOfFeed,
  matchEach,
  type MatchStatus,
  readAwards,
} from '../src/packs/grants/index.ts';
import { parseDay } from '../src/calendar/index.ts';
import { shippedLaw } from '../src/system/law/index.ts';
import { awardChunks, feedChunks, matchWorld, realGrants } from './grants-generated.ts';
import { watchMemory } from './memory.ts';
import { atMost, type Figure, median } from './report.ts';

const ROWS = 56_728;
const PER_SECOND_MIN = 2_000;
const HEAP_MB_MAX = 100;
const FEW = 10_000;
const MANY = 100_000;
/** n log n from 10,000 to 100,000. */
const N_LOG_N = (MANY * Math.log(MANY)) / (FEW * Math.log(FEW));

/** No worse than n log n. Small sets stay in the processor's cache, which time shows and n log n does not; n² would be 8. */
const GROWTH_MAX = 1;

export async function grantsFigures(
  quick: boolean,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const figures = [...(await pipeline(quick ? 7_091 : ROWS, say))];
  figures.push(growth(quick ? 1 : 5, say));
  return figures;
}

async function pipeline(rows: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const grants = await realGrants();
  const law = grantsLawFrom(shippedLaw());
  const memory = watchMemory();
  const before = process.cpuUsage();
  const { receipts, refused } = await expectedReceipts();
  const { lines } = await linesOfFeed('feed', readFeed('camt.053', feedChunks(grants, rows)));
  const counts = new Map<MatchStatus, number>();
  let heapBytes = 0;
  let taken = 0;
  matchEach({ lines, receipts }, ({ status }) => {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    taken += 1;
    // Matching never waits, so the memory watch does not run meanwhile.
    if (taken % 5_000 === 0) heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
  });
  const { user, system } = process.cpuUsage(before);
  const { heapBytesMax } = memory.stop();
  const seconds = (user + system) / 1e6;
  const perSecond = rows / seconds;
  say(
    `  ${rows} awards, ${refused} refused, ${lines.length} bank lines, ${counts.get('matched') ?? 0} matched, ${counts.get('review') ?? 0} for review, ${counts.get('manual') ?? 0} for a person`,
  );
  return [
    {
      name: `grants ingested and matched, ${rows} awards and bank lines`,
      measured: `${Math.round(perSecond)} /s`,
      limit: `≥ ${PER_SECOND_MIN} /s`,
      met: perSecond >= PER_SECOND_MIN && lines.length === rows,
    },
    atMost(
      `peak V8 heap, ${rows} grants`,
      Math.max(heapBytesMax, heapBytes) / 1e6,
      HEAP_MB_MAX,
      'MB',
      1,
    ),
  ];

  async function expectedReceipts(): Promise<{
    readonly receipts: readonly ExpectedReceipt[];
    readonly refused: number;
  }> {
    const context = { tenant: 't', sourceDocument: 'schedule-i', now: instant(0), law };
    const expected: ExpectedReceipt[] = [];
    // Names come back eight times and more; each is held once, as a store would give it.
    const words = new Map<string, string>();
    let refusals = 0;
    for await (const record of readAwards('csv', awardChunks(grants, rows))) {
      const award = ingestAward(record, context);
      if (award.ordinal % 5_000 === 0) {
        // Lets the memory watch run: the generator never waits for anything real.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (award.kind !== 'accepted') {
        refusals += 1;
        continue;
      }
      const { payload, metadata } = award;
      const text = (name: string): string | undefined => {
        const value = payload[name];
        if (typeof value !== 'string') return undefined;
        const known = words.get(value);
        if (known === undefined && name !== 'reference') words.set(value, value);
        return known ?? value;
      };
      const on = parseDay(text('expected_on') ?? '');
      const { award_amount: amountCents } = payload;
      if (on === undefined || typeof amountCents !== 'number' || amountCents === 0) continue;
      expected.push({
        // As a store would number it; the key stays with the award.
        id: `a${award.ordinal}`,
        grant: text('grantor_id') ?? '',
        payer: text('payer') ?? '',
        reference: text('reference'),
        amountCents,
        currency: 'USD',
        direction: 'credit',
        expected: on,
        payloadHash: metadata.payload_hash,
      });
    }
    return { receipts: expected, refused: refusals };
  }
}

/** The larger run against the smaller one, and that against n log n: 1 means exactly n log n. */
function growth(runs: number, say: (text: string) => void): Figure {
  const few = matchWorld(FEW);
  const many = matchWorld(MANY);
  // Once before the clock runs: a program that is not compiled yet would flatter the ratio.
  secondsOf(few);
  secondsOf(few);
  const ratios = Array.from({ length: runs }, () => {
    const small = median([1, 2, 3].map(() => secondsOf(few)));
    const large = secondsOf(many);
    say(
      `  matching ${FEW}: ${small.toFixed(3)} s, ${MANY}: ${large.toFixed(3)} s, ${(large / small).toFixed(1)} times (n log n: ${N_LOG_N.toFixed(1)})`,
    );
    return large / small / N_LOG_N;
  });
  return atMost(
    `matching cost from ${FEW} to ${MANY} lines, against n log n`,
    median(ratios),
    GROWTH_MAX,
    '×',
  );
}

function secondsOf(world: {
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
}): number {
  const before = process.cpuUsage();
  let outcomes = 0;
  matchEach(world, () => {
    outcomes += 1;
  });
  const { user, system } = process.cpuUsage(before);
  if (outcomes === 0) throw new Error('the bench matched nothing');
  return (user + system) / 1e6;
}
