/** Holding our awards against the grantor's own ledger, with the retry queue; and the state of the whole. */
import type { Command } from '../command.ts';
import type { GrantorLedger, VerificationReport } from '../../grants/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import { readNamedFile } from '../arguments.ts';
import type { Context } from '../context.ts';
import { table } from '../output.ts';
import { exitAfterFetch, fetchWords } from './grants-fetch.ts';
import { acting } from './grants-reconcile.ts';

interface LedgerOptions {
  readonly lane?: string;
  readonly path: string;
  readonly file?: string;
}

const LANE = ['--lane <code>', 'read it through this lane'] as const;
const PATH = [
  '--path <path>',
  'path on the lane; {grantor} is replaced',
  '/ledgers/{grantor}',
] as const;

export function addGrantsVerification(grants: Command): void {
  addVerify(grants);
  addRetry(grants);
  addStatus(grants);
}

function addVerify(grants: Command): void {
  grants
    .command('verify <grantor>')
    .description(
      'compare the awards of a grantor with its own ledger; a temporary failure is retried',
    )
    .option(...LANE)
    .option(...PATH)
    .option('--file <file>', 'a ledger file from the grantor, as JSON, instead of a lane')
    .action(async (grantor: string, own: LedgerOptions, command: Command) =>
      acting(command, async (context, pipeline) =>
        withLedger(own, context, async (ledger) => {
          const report = await pipeline.verifyGrantor(grantor, ledger);
          context.out.result('grants verify', report, () => verificationWords(report).join('\n'));
          process.exitCode = exitAfter([report]);
        }),
      ),
    );
}

function addRetry(grants: Command): void {
  grants
    .command('retry')
    .description('run the retries that are due: documents, then ledgers')
    .requiredOption('--lane <code>', 'read through this lane')
    .option(...PATH)
    .action(async (own: { lane: string; path: string }, command: Command) =>
      acting(command, async ({ app, out, actor }, pipeline) => {
        const { laneDocuments, ledgerOfLane, readingLane } = await import('../../grants/index.ts');
        const { fetches, verifications } = await readingLane(
          app,
          actor,
          own.lane,
          async (lane) => ({
            fetches: await pipeline.runFetchQueue(laneDocuments(own.lane, lane)),
            verifications: await pipeline.runRetryQueue(ledgerOfLane(own.lane, lane, own.path)),
          }),
        );
        out.result('grants retry', { fetches, verifications }, () =>
          fetches.length + verifications.length === 0
            ? 'Nothing is due.'
            : [...fetches.flatMap(fetchWords), ...verifications.flatMap(verificationWords)].join(
                '\n',
              ),
        );
        process.exitCode = Math.max(exitAfterFetch(fetches), exitAfter(verifications));
      }),
    );
}

function addStatus(grants: Command): void {
  grants
    .command('status')
    .description('counts: documents, awards, bank lines, exceptions, periods')
    .inApp(async ({ app, out, actor }) => {
      const { openGrants } = await import('../../grants/index.ts');
      const pipeline = openGrants(app, actor);
      const [status, periods] = [await pipeline.status(), await pipeline.periods()];
      out.result('grants status', { ...status, periods }, () =>
        [
          ...Object.entries(STATUS_WORDS).map(
            ([name, words]) => `${words.padEnd(34)}${status[name as keyof typeof STATUS_WORDS]}`,
          ),
          ...(periods.length === 0
            ? []
            : [
                '',
                table(
                  ['period', 'account', 'from', 'to', 'released', 'totals'],
                  periods.map((one) => [
                    one.id,
                    one.account,
                    one.from,
                    one.to,
                    one.isReleased ? 'yes' : 'WAITS',
                    `${one.totalsHash.slice(0, 16)}...`,
                  ]),
                ),
              ]),
        ].join('\n'),
      );
    });
}

const STATUS_WORDS = {
  documents: 'award documents',
  awards: 'awards accepted',
  feeds: 'bank feeds',
  lines: 'bank lines',
  matched: 'matches',
  openExceptions: 'open exceptions',
  waitingRetries: 'retries waiting',
  closedPeriods: 'periods closed',
  blockedReleases: 'closed periods not released',
} as const;

async function withLedger(
  own: LedgerOptions,
  { app, actor }: Context,
  work: (ledger: GrantorLedger) => Promise<void>,
): Promise<void> {
  const { ledgerOfFile, ledgerOfLane, readingLane } = await import('../../grants/index.ts');
  if ((own.lane === undefined) === (own.file === undefined)) {
    throw misuse('Expected either --lane or --file, not both');
  }
  if (own.file !== undefined) {
    await work(ledgerOfFile(own.file, readNamedFile('grantor ledger', own.file)));
    return;
  }
  const code = own.lane ?? '';
  await readingLane(app, actor, code, (lane) => work(ledgerOfLane(code, lane, own.path)));
}

function exitAfter(reports: readonly VerificationReport[]): number {
  if (reports.some(({ state }) => state === 'waiting')) return EXIT.tryLater;
  return reports.every(({ state }) => state === 'verified') ? EXIT.done : EXIT.conflict;
}

export function verificationWords(report: VerificationReport): string[] {
  const { grantor, state, attempts, nextAt, lastErrorCode, differences, exception } = report;
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  switch (state) {
    case 'verified':
      return [`${grantor}: its ledger agrees with ours (${tries})`];
    case 'differs':
      return [
        `${grantor}: ITS LEDGER DIFFERS (${tries})`,
        ...differences.map((difference) => `  ${difference}`),
        ...(exception === undefined ? [] : [`  exception ${exception}`]),
      ];
    case 'waiting':
      return [`${grantor}: ${lastErrorCode ?? 'not asked yet'}; ${tries}, the next at ${nextAt}`];
    case 'fallback':
      return [
        `${grantor}: NO MORE RETRIES after ${tries} (${lastErrorCode}); exception ${exception}`,
      ];
  }
}
