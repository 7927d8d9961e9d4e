/** The parts of the year, in the order in which they happen. */
import type { Filewright } from '../../filewright.ts';
import {
  awardFile,
  type CloseReport,
  feedFile,
  ledgerOfLane,
  type Organization,
  type Pipeline,
} from '../../grants/index.ts';
import { FilewrightError, invariant } from '../../core/index.ts';
import type { PersonActor } from '../../access/index.ts';
import {
  openDirectReader,
  playGrantor,
  sampleProfile,
  type StoryClock,
} from '../../testing/index.ts';
import { environment, loopbackToo } from '../context.ts';
import { actorOf, dollars, readPeriod } from './grants-arguments.ts';
import { closeWords } from './grants-close.ts';
import { releaseWords } from './grants-reconcile.ts';
import { verificationWords } from './grants-verify.ts';

export interface Story {
  readonly app: Filewright;
  /** As the first person, and as the second: nobody acts in another's name. */
  readonly pipeline: Pipeline;
  readonly approving: Pipeline;
  readonly clock: StoryClock;
  /** Keeps the books. */
  readonly first: PersonActor;
  /** Approves. */
  readonly second: PersonActor;
  readonly sample: (name: string) => string;
  readonly say: (text: string) => void;
}

const ACCOUNT = '4400118822';
export const ORGANIZATION: Organization = { states: ['PA', 'NC'], fiscalYearEnd: '12-31' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The grantor plays in this process; on a busy machine it may take a while, and that is not its outage. */
const TIMEOUT_MS = 20_000;
/** More turns than the retry rules ever take. */
const TURNS_MAX = 10;

const DOCUMENTS = [
  'awards-federal.ndjson',
  'awards-foundations.csv',
  'awards-campaign.xml',
  'award-city.json',
];

/** Returns the exception of the award that is refused. */
export async function awardsIn({ pipeline, first, sample, say }: Story): Promise<string> {
  say(
    '\n2. Awards are imported, in four formats. One document does not say who benefits from the money.',
  );
  let exception: string | undefined;
  for (const name of DOCUMENTS) {
    const report = await pipeline.ingestAwards(awardFile(sample(name)), actorOf(first));
    say(`   ${name.padEnd(24)}${report.accepted} accepted, ${report.refused} refused`);
    for (const refusal of report.refusals) {
      exception = refusal.exception;
      for (const { code, field, message } of refusal.violations) {
        say(`     ${field}: ${code}: ${message}`);
      }
    }
  }
  const again = await pipeline.ingestAwards(awardFile(sample(DOCUMENTS[0] ?? '')), actorOf(first));
  invariant(again.isRepeatedDocument, 'Expected a document that is known to change nothing.');
  say(`   ${(DOCUMENTS[0] ?? '').padEnd(24)}imported again: nothing is counted twice`);
  invariant(exception !== undefined, 'Expected one award of the sample to be refused.');
  return exception;
}

/** Feeds in, matched, resolved by a person where the rules cannot, closed, released. */
export async function quarter(
  story: Story,
  what: { readonly step: number; readonly period: string; readonly feeds: readonly string[] },
): Promise<void> {
  const { pipeline, clock, first, sample, say } = story;
  const days = readPeriod(what.period);
  // A period is closed when its last day is over: on the day after it.
  clock.moveTo(new Date(Date.parse(`${days.to}T22:00:00Z`) + DAY_MS).toISOString());
  say(`\n${what.step}. ${what.period}`);
  for (const name of what.feeds) {
    const feed = await pipeline.ingestFeed(feedFile(sample(name)), actorOf(first));
    say(`   ${name.padEnd(30)}${feed.format}, ${feed.lines} lines`);
  }
  await reconcile(story, days.to);
  let report = await pipeline.closePeriod(
    { account: ACCOUNT, ...days },
    ORGANIZATION,
    actorOf(first),
  );
  if (report.kind === 'blocked') {
    tell(say, closeWords(report));
    await settleFees(story, days.to);
    await reconcile(story, days.to);
    report = await pipeline.closePeriod(
      { account: ACCOUNT, ...days },
      ORGANIZATION,
      actorOf(first),
    );
  }
  tell(say, closeWords(report));
  if (report.kind === 'closed' && report.release.kind === 'blocked') await attach(story, report);
}

async function reconcile({ pipeline, first, say }: Story, to: string): Promise<void> {
  const { byStatus, totals } = await pipeline.reconcilePeriod({ to }, actorOf(first));
  const { matched, ignored, netted, review, manual } = byStatus;
  const cents = totals.matchedCents['USD'] ?? '0';
  say(
    `   matched ${matched} (USD ${dollars(cents)}), duplicate or not booked ${ignored}, reversed ${netted}, for a person ${review + manual}`,
  );
}

/** The only lines of the sample that no rule can place are fees of the bank. */
async function settleFees({ pipeline, first, say }: Story, asOf: string): Promise<void> {
  for (const entry of await pipeline.unmatched(asOf)) {
    if (entry.side !== 'bank') continue;
    const reason = 'bank account fee; no award';
    await pipeline.resolve({ line: entry.id, expectedPayments: [], reason, by: first.id });
    say(`   ${first.name} resolves the ${dollars(entry.amountCents)} of ${entry.since}: ${reason}`);
  }
}

/** The money waits at the wall until somebody has looked at the registration. */
async function attach(
  { pipeline, approving, first, second, say }: Story,
  report: Extract<CloseReport, { readonly kind: 'closed' }>,
): Promise<void> {
  const { release, period } = report;
  if (release.kind !== 'blocked') return;
  for (const { jurisdiction, on } of release.crossings) {
    const evidence = `BCO-10 filed with the state, registration 105882`;
    const check = { jurisdiction, checkedOn: on, evidence, by: second.id };
    await approving.attachRegistrationCheck(check);
    say(`   ${second.name} attaches the registration check for ${jurisdiction}: ${evidence}`);
  }
  tell(say, releaseWords(await pipeline.release(period, ORGANIZATION, actorOf(first))));
}

/** One person proposes, the same one may not approve, another does; then the new document names the old record. */
export async function correctedByTwo(story: Story, exception: string): Promise<void> {
  const { pipeline, approving, clock, first, second, sample, say } = story;
  clock.moveTo('2026-10-01T14:00:00Z');
  say('\n6. Two people correct the refused city award, and it is imported again.');
  const source = awardFile(sample('award-city-corrected.json'));
  const reason = 'the agreement says that the public benefits';
  await pipeline.exceptions.propose(exception, { kind: 'reingest', source, reason }, first.id);
  say(`   ${first.name} proposes award-city-corrected.json: ${reason}`);
  await refusedToFirst(story, exception);
  await approving.exceptions.approve(exception, second.id);
  say(`   ${second.name} approves exactly this document`);
  await pipeline.exceptions.reingest(exception, source, first.id);
  const { replacedBy, envelope } = await pipeline.exceptions.show(exception);
  say(
    `   imported as ${replacedBy ?? '-'}\n   it replaces ${envelope.compliance_metadata.idempotency_key}, whose envelope ${envelope.envelope_hash.slice(0, 16)}... stays as it was`,
  );
}

async function refusedToFirst({ pipeline, first, say }: Story, exception: string): Promise<void> {
  try {
    await pipeline.exceptions.approve(exception, first.id);
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'SELF_APPROVAL') throw error;
    say(`   ${first.name} tries to approve it alone: ${error.code}`);
    return;
  }
  invariant(false, 'Expected the database to refuse the approval of the proposer.');
}

/** An hour without the grantor's ledger: three failures, then a person; no total moves meanwhile. */
export async function outage(story: Story, ledger: Uint8Array): Promise<void> {
  const { pipeline, approving, clock, first, second, say } = story;
  clock.moveTo('2026-11-17T14:00:00Z');
  const grantor = await playGrantor(ledger, clock);
  const { baseUrl } = grantor;
  const profile = sampleProfile({ code: 'US-ED', baseUrl, timeoutMs: TIMEOUT_MS });
  const reader = openDirectReader(profile, { ...environment, ...loopbackToo(environment) });
  try {
    const lane = ledgerOfLane(profile.code, reader, '/ledgers/{grantor}');
    say(`\n7. The ledger of US-ED at ${baseUrl} is down for an hour (simulated).`);
    grantor.breakDown(HOUR_MS);
    let report = await pipeline.verifyGrantor('US-ED', lane);
    tell(say, verificationWords(report));
    report = await retried(story, lane, report);
    invariant(
      report.exception !== undefined,
      'Expected three failures in a row to end with a person.',
    );
    clock.moveTo('2026-11-17T15:00:30Z');
    grantor.throttleOnce();
    say('   An hour later it answers, at first with "too many requests":');
    const after = await pipeline.verifyGrantor('US-ED', lane);
    tell(say, verificationWords(after));
    await retried(story, lane, after);
    const reason = 'the grantor ledger was down; read again an hour later, it agrees';
    await pipeline.exceptions.propose(report.exception, { kind: 'dismiss', reason }, first.id);
    await approving.exceptions.approve(report.exception, second.id);
    say(`   ${first.name} and ${second.name} close the exception: ${reason}`);
  } finally {
    await reader.close();
    await grantor.close();
  }
}

async function retried(
  { pipeline, clock, say }: Story,
  lane: ReturnType<typeof ledgerOfLane>,
  from: Awaited<ReturnType<Pipeline['verifyGrantor']>>,
): Promise<typeof from> {
  let report = from;
  for (let turn = 0; turn < TURNS_MAX && report.nextAt !== undefined; turn += 1) {
    clock.moveTo(report.nextAt);
    const [next] = await pipeline.runRetryQueue(lane);
    if (next === undefined) continue;
    report = next;
    tell(say, verificationWords(report));
  }
  return report;
}

function tell(say: Story['say'], lines: readonly string[]): void {
  for (const line of lines) say(`   ${line}`);
}
