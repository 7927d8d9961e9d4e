/** Money as people look through it: what is unmatched, the lines of the bank, and the awards. */
import type { Command } from '../command.ts';
import type { AwardView, LineView, Pipeline } from '../../grants/index.ts';
import { misuse } from '../../core/index.ts';
import { readLimit } from '../arguments.ts';
import { table } from '../output.ts';
import { dollars } from './grants-arguments.ts';
import { acting, dayOr } from './grants-reconcile.ts';
import { readDay } from './obligation-register.ts';

type Entry = Awaited<ReturnType<Pipeline['unmatched']>>[number];

/** Digits of an id that name it among all others, and fit a line. */
const SHORT_KEY = 12;
const SHORT_FEED = 8;
/** Characters of what a bank or a payer wrote; all of it is in the JSON output. */
const CELL = 32;

export function addGrantsLists(grants: Command): void {
  addUnmatched(grants);
  addLines(grants);
  addAwards(grants);
}

function addUnmatched(grants: Command): void {
  grants
    .command('unmatched')
    .description('bank lines and expected payments without a match, oldest first')
    .option('--as-of <day>', 'age as of this day (default: today in UTC)')
    .option('--upcoming', 'also show what is expected later than that day')
    .action(async (own: { asOf?: string; upcoming?: true }, command: Command) =>
      acting(command, async ({ app, out }, pipeline) => {
        const asOf = dayOr('--as-of', own.asOf, app.clock.now());
        const found = await pipeline.unmatched(asOf);
        const entries = found.filter(({ isUpcoming }) => !isUpcoming);
        const upcoming = found.filter(({ isUpcoming }) => isUpcoming);
        out.result('grants unmatched', { asOf, entries, upcoming }, () =>
          [...unmatchedWords(entries), ...upcomingWords(upcoming, own.upcoming === true)].join(
            '\n',
          ),
        );
      }),
    );
}

function unmatchedWords(entries: readonly Entry[]): string[] {
  if (entries.length === 0) return ['Nothing is unmatched.'];
  const isBank = entries.some(({ side }) => side === 'bank');
  return [
    ...entries.flatMap(entryWords),
    ...(isBank
      ? [
          '',
          'Decide about a line: grants resolve LINE with --award KEY, --split KEY=AMOUNT ... or --not-grant-money, and --reason TEXT.',
        ]
      : []),
  ];
}

/** A block for each: the figures in one line, then what the bank wrote, why it is open, and what it could be. */
function entryWords(entry: Entry): string[] {
  const { side, id, since, days, account, payer, text, references, why, candidates } = entry;
  const isBank = side === 'bank';
  const name = isBank ? shortLine(id) : shortKey(id);
  const amount = `${entry.currency} ${signed(entry)}`;
  const what = isBank
    ? entry.direction === 'credit'
      ? 'received on'
      : 'paid out on'
    : 'expected on';
  const place = account === undefined ? '' : `, account ${account}`;
  const age = `${days} ${days === 1 ? 'day' : 'days'}, ${entry.bucket}`;
  return [
    '',
    `${name}  ${amount}  ${what} ${since} (${age})${place}`,
    `  from ${payer ?? 'a payer whom the bank does not name'}${
      references.length === 0 ? '' : `, reference ${references.join(', ')}`
    }`,
    ...(text === undefined || text === payer ? [] : [`  text: ${text}`]),
    `  ${entry.rule}: ${why}`,
    ...candidates.map(
      (one) => `  perhaps ${isBank ? shortKey(one.id) : shortLine(one.id)}: ${one.why}`,
    ),
  ];
}

function upcomingWords(upcoming: readonly Entry[], isShown: boolean): string[] {
  if (upcoming.length === 0) return [];
  if (!isShown) {
    const payments = upcoming.length === 1 ? 'payment is' : 'payments are';
    return ['', `${upcoming.length} ${payments} expected later; --upcoming shows them.`];
  }
  return [
    '',
    'Expected later:',
    table(
      ['expected', 'amount', 'payer', 'reference', 'award'],
      upcoming.map((one) => [
        one.since,
        `${one.currency} ${dollars(one.amountCents)}`,
        cut(one.payer),
        cut(one.references.join(' ')),
        shortKey(one.id),
      ]),
    ),
  ];
}

interface ListOptions {
  readonly state?: string;
  readonly text?: string;
  readonly after?: string;
  readonly limit: string;
}

interface LinesOptions extends ListOptions {
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
}

function addLines(grants: Command): void {
  grants
    .command('lines')
    .description('bank lines by day, with what each paid')
    .option('--account <account>', 'only this account')
    .option('--from <day>', 'from this day')
    .option('--to <day>', 'through this day')
    .option(
      '--state <state>',
      'open, matched, none (pays no award), returned, repeated, announced or withdrawn',
    )
    .option('--text <words>', 'part of the payer, the text, a reference or an id')
    .option('--after <id>', 'start after this line, which the page before shows as next')
    .option('--limit <n>', 'how many', '50')
    .action(async (own: LinesOptions, command: Command) =>
      acting(command, async ({ out }, pipeline) => {
        const { LINE_STATES } = await import('../../grants/index.ts');
        const state = oneOf(LINE_STATES, own.state);
        const { items, next } = await pipeline.lines({
          ...pageOf(own),
          ...(own.account !== undefined && { account: own.account }),
          ...(own.from !== undefined && { from: readDay('--from', own.from) }),
          ...(own.to !== undefined && { to: readDay('--to', own.to) }),
          ...(state !== undefined && { state }),
        });
        out.result('grants lines', { lines: items, next: next ?? null }, () =>
          [linesTable(items), ...nextWords(next)].join('\n'),
        );
      }),
    );
}

function linesTable(lines: readonly LineView[]): string {
  if (lines.length === 0) return 'No bank line fits.';
  return table(
    ['day', 'account', 'amount', 'payer', 'text', 'state', 'awards', 'line'],
    lines.map((one) => [
      one.bookedOn,
      one.account,
      `${one.currency} ${dollars(one.cents)}`,
      cut(one.payer),
      cut(one.text),
      one.isClosed ? `${one.state}, closed` : one.state,
      one.awards.map(shortKey).join(' '),
      shortLine(one.id),
    ]),
  );
}

function addAwards(grants: Command): void {
  grants
    .command('awards')
    .description('awards by the day on which they are expected, with what was received')
    .option('--as-of <day>', 'what is overdue as of this day (default: today in UTC)')
    .option('--state <state>', 'expected, overdue, partly, received, undated or ended')
    .option('--text <words>', 'part of the payer, the grantor, a reference, a number or the key')
    .option('--after <next>', 'start after the page before, with what it shows as next')
    .option('--limit <n>', 'how many', '50')
    .action(async (own: ListOptions & { asOf?: string }, command: Command) =>
      acting(command, async ({ app, out }, pipeline) => {
        const { AWARD_STATES } = await import('../../grants/index.ts');
        const state = oneOf(AWARD_STATES, own.state);
        const asOf = dayOr('--as-of', own.asOf, app.clock.now());
        const { items, next } = await pipeline.awards({
          ...pageOf(own),
          asOf,
          ...(state !== undefined && { state }),
        });
        out.result('grants awards', { asOf, awards: items, next: next ?? null }, () =>
          [awardsTable(items), ...nextWords(next)].join('\n'),
        );
      }),
    );
}

function awardsTable(awards: readonly AwardView[]): string {
  if (awards.length === 0) return 'No award fits.';
  return table(
    ['expected', 'payer', 'award', 'reference', 'promised', 'received', 'open', 'state', 'key'],
    awards.map((one) => [
      one.expectedOn ?? 'no day',
      cut(one.payer === '' ? one.grantor : one.payer),
      cut(one.awardId),
      cut(one.reference),
      `${one.currency} ${dollars(one.cents)}`,
      dollars(one.closedCents + one.matchedCents),
      dollars(one.openCents),
      one.state,
      shortKey(one.key),
    ]),
  );
}

function pageOf(own: ListOptions) {
  return {
    limit: readLimit(own.limit),
    ...(own.after !== undefined && { after: own.after }),
    ...(own.text !== undefined && own.text !== '' && { text: own.text }),
  };
}

function nextWords(next: string | undefined): string[] {
  return next === undefined ? [] : [`More follow: --after ${next}`];
}

function oneOf<Name extends string>(
  names: readonly Name[],
  given: string | undefined,
): Name | undefined {
  const name = names.find((one) => one === given);
  if (given === undefined || name !== undefined) return name;
  throw misuse(`--state: expected one of ${names.join(', ')}, found "${given}"`);
}

function signed({ direction, amountCents }: Entry): string {
  return dollars(direction === 'credit' ? amountCents : -amountCents);
}

function shortLine(id: string): string {
  const at = id.lastIndexOf('#');
  return `${id.slice(0, SHORT_FEED)}${id.slice(at)}`;
}

function shortKey(key: string): string {
  return key.slice(0, SHORT_KEY);
}

function cut(text: string | undefined): string {
  const all = text ?? '';
  return all.length <= CELL ? all : `${all.slice(0, CELL - 1)}…`;
}
