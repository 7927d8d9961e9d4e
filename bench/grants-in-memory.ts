/** Grants from award documents and a bank feed to matches without a store: records a second, and heap. */
import { parseDay } from '../src/calendar/day.ts';
import { instant } from '../src/core/time.ts';
import { readFeed } from '../src/grants/rules/feeds/read-feed.ts';
import { bankLineOf } from '../src/grants/rules/matching/from-feed.ts';
import type { ExpectedPayment } from '../src/grants/rules/matching/bank-line.ts';
import { grantsLawFrom } from '../src/grants/rules/law.ts';
import { ingestAward, type Ingested } from '../src/grants/rules/intake/ingest.ts';
import { matchEach } from '../src/grants/rules/matching/match.ts';
import type { MatchStatus } from '../src/grants/rules/matching/outcome.ts';
import { PackedEntries } from '../src/grants/rules/matching/entries/open-entries.ts';
import { readAwards } from '../src/grants/rules/intake/read-awards.ts';
import { shippedLaw } from '../src/system/law-files.ts';
import { awardChunks, feedChunks, realGrants } from './grants-generated.ts';
import { heap, megabytes, type PartResult, ROWS, ROWS_QUICK, say, speed } from './grants-parts.ts';
import { watchMemory } from './memory.ts';

/** Records between two looks at the heap: nothing here ever waits, so no timer looks. */
const LOOK_EVERY = 250;

export async function grantsInMemory(quick: boolean): Promise<PartResult> {
  const rows = quick ? ROWS_QUICK : ROWS;
  const grants = await realGrants();
  const context = {
    tenant: 't',
    sourceDocument: 'schedule-i',
    now: instant(0),
    law: grantsLawFrom(shippedLaw()),
  };
  const memory = watchMemory();
  const began = performance.now();
  const before = process.cpuUsage();
  const entries = new PackedEntries();
  let refused = 0;
  for await (const record of readAwards('csv', awardChunks(grants, rows))) {
    const award = ingestAward(record, context);
    if (award.ordinal % LOOK_EVERY === 0) memory.look();
    if (award.kind !== 'accepted') refused += 1;
    const expectedPayment = expectedPaymentOf(award);
    if (expectedPayment !== undefined) entries.addExpectedPayment(expectedPayment);
  }
  let lines = 0;
  let hasEnded = false;
  for await (const event of readFeed('camt.053', feedChunks(grants, rows))) {
    if (event.kind === 'end') hasEnded = true;
    if (event.kind !== 'line') continue;
    lines += 1;
    entries.addLine(bankLineOf('feed', event, { ordinal: lines, isInterim: false }));
    if (lines % LOOK_EVERY === 0) memory.look();
  }
  const counts = new Map<MatchStatus, number>();
  let outcomes = 0;
  for (const { outcome } of matchEach(entries)) {
    counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1);
    outcomes += 1;
    if (outcomes % LOOK_EVERY === 0) memory.look();
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1000;
  const peak = memory.stop();
  const times = `${seconds.toFixed(1)} s by the clock, ${((user + system) / 1e6).toFixed(1)} s of the processor`;
  say(`${rows} awards, ${refused} refused, ${lines} bank lines: ${JSON.stringify([...counts])}`);
  say(`${times}, RSS ${megabytes(peak.rssBytesMax)}`);
  const name = `grants ingested and matched in memory, ${rows} awards and bank lines`;
  return {
    figures: [
      speed(name, rows, seconds, hasEnded && lines === rows),
      heap(`${rows} grants in memory`, peak),
    ],
    details: [`In memory: ${times}, RSS ${megabytes(peak.rssBytesMax)}.`, ''],
  };
}

function expectedPaymentOf(award: Ingested): ExpectedPayment | undefined {
  if (award.kind !== 'accepted') return undefined;
  const { payload, metadata } = award;
  const text = (name: string): string | undefined => {
    const value = payload[name];
    return typeof value === 'string' ? value : undefined;
  };
  const expected = parseDay(text('expected_on') ?? '');
  const { award_amount: amountCents } = payload;
  if (expected === undefined || typeof amountCents !== 'number' || amountCents === 0) {
    return undefined;
  }
  return {
    id: metadata.idempotency_key,
    grant: text('grantor_id') ?? '',
    payer: text('payer') ?? '',
    reference: text('reference'),
    amountCents,
    currency: 'USD',
    direction: 'credit',
    expected,
    payloadHash: metadata.payload_hash,
  };
}
