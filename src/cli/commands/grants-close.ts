/** Closing a period: what it would freeze is shown first, and only what was shown is closed. */
import type { Command } from '../command.ts';
import type { ClosingPreview, CloseReport } from '../../grants/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import {
  actorOf,
  dollars,
  type OrganizationOptions,
  PERIOD_FORM,
  readOrganization,
  readPeriod,
  STATES_OPTION,
  YEAR_END_OPTION,
} from './grants-arguments.ts';
import { acting, releaseWords } from './grants-reconcile.ts';

interface CloseOptions extends OrganizationOptions {
  readonly account: string;
  readonly zone?: string;
  readonly expectHash?: string;
}

const SHA256 = /^[0-9a-f]{64}$/i;

export function addGrantsClose(grants: Command): void {
  grants
    .command('close <period>')
    .description(
      `show what closing a period would freeze (${PERIOD_FORM}); with --expect-hash, close exactly that permanently and release it to the rules and reports`,
    )
    .requiredOption('--account <account>', 'the bank account')
    .requiredOption(...STATES_OPTION)
    .option(...YEAR_END_OPTION)
    .option(
      '--zone <zone>',
      'time zone of the bank; the last day of the period must be over there (default: America/New_York)',
    )
    .option('--expect-hash <sha256>', 'close what grants close showed with this hash')
    .action(async (text: string, own: CloseOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const { account, zone, expectHash: shown } = own;
        if (shown !== undefined && !SHA256.test(shown)) {
          throw misuse('--expect-hash: expected 64 hex digits');
        }
        const period = { account, ...readPeriod(text) };
        const organization = readOrganization(own);
        const closing = { ...period, ...(zone !== undefined && { zone }) };
        if (shown === undefined) {
          const preview = await pipeline.previewClosing(closing, organization);
          out.result('grants close', { kind: 'preview', ...preview }, () =>
            previewWords(preview).join('\n'),
          );
          if (preview.obstacles.length > 0) process.exitCode = EXIT.refused;
          return;
        }
        const asked = { ...closing, shown };
        const report = await pipeline.closePeriod(asked, organization, actorOf(person));
        out.result('grants close', { ...period, ...report }, () => closeWords(report).join('\n'));
        const isBlocked = report.kind === 'blocked' || report.release.kind === 'blocked';
        if (isBlocked) process.exitCode = EXIT.refused;
      }),
    );
}

type Group = ClosingPreview['summary']['matched'];

const BARE_DAYS =
  '  If the bank booked nothing on those days, import its table with --days, which says what days it is for.';

function previewWords(preview: ClosingPreview): string[] {
  const { account, from, to, isClosed, obstacles, summary, hash } = preview;
  if (isClosed) return [`${from} to ${to} of account ${account} is closed already.`];
  const { stillExpected: still } = summary;
  const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;
  const group = (name: string, { lines: count, cents }: Group): string =>
    `  ${name.padEnd(18)}${sumWords(cents)}, ${lines(count)}`;
  return [
    `Closing ${from} to ${to} of account ${account} would freeze:`,
    `  ${'opening balance'.padEnd(18)}${balanceWords(summary.openingCents)}`,
    group('paid to awards', summary.matched),
    group('not grant money', summary.notGrantMoney),
    group('returned', summary.returned),
    `  ${'closing balance'.padEnd(18)}${balanceWords(summary.closingCents)}`,
    `  ${lines(summary.notCounted)} more are second deliveries or announcements and are not counted.`,
    `Open questions: ${summary.openQuestions}.`,
    `Still expected afterwards: ${still.payments} payments, ${sumWords(still.cents)}; ${still.overdue} of them overdue.`,
    ...(obstacles.length > 0
      ? [
          'CANNOT BE CLOSED: resolve each of these first',
          ...obstacles.map((obstacle) => `  ${obstacle}`),
          ...(obstacles.some((one) => one.startsWith('no statement')) ? [BARE_DAYS] : []),
        ]
      : [
          'Nothing is closed yet. To close exactly this, permanently, repeat the command with:',
          `  --expect-hash ${hash}`,
        ]),
  ];
}

function sumWords(cents: Readonly<Record<string, string>>): string {
  const sums = Object.entries(cents).map(([currency, sum]) => `${currency} ${dollars(sum)}`);
  return sums.length === 0 ? '0.00' : sums.join(', ');
}

function balanceWords(cents: string | null): string {
  return cents === null ? 'not known' : dollars(cents);
}

export function closeWords(report: CloseReport): string[] {
  if (report.kind === 'blocked') {
    return [
      'NOT CLOSED: resolve each of these first',
      ...report.obstacles.map((obstacle) => `  ${obstacle}`),
    ];
  }
  const { matchedCents, hash } = report.totals;
  const sums = Object.entries(matchedCents).map(
    ([currency, cents]) => `${currency} ${dollars(cents)}`,
  );
  return [
    `Closed as ${report.period}: ${sums.length === 0 ? 'nothing matched' : sums.join(', ')}; totals ${hash.slice(0, 16)}...`,
    ...releaseWords(report.release),
  ];
}
