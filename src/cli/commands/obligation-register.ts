/** Obligations that are stored: the list, the same as calendar or table, and computing them again. */
import type { Command } from '../command.ts';
import type { ListedObligation } from '../../grants/index.ts';
import type {
  IssuedIcs,
  LaterRecord,
  Move,
  ObligationState,
  Recomputation,
} from '../../entities/index.ts';
import { csvLine, EXIT, misuse, shownTime } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import type { Context } from '../context.ts';
import { table } from '../output.ts';

interface ListOptions {
  readonly dueBefore?: string;
  readonly jurisdiction?: readonly string[];
  readonly state?: readonly string[];
  readonly ics?: string;
  readonly icsName?: string;
  readonly csv?: string;
}

interface RecomputeOptions {
  readonly dryRun?: true;
  readonly jurisdiction?: string;
  readonly asOf?: string;
  readonly law?: string;
}

const STATES: readonly ObligationState[] = [
  'open',
  'record_needed',
  'nothing_owed',
  'met',
  'superseded',
];
const MOVES_SHOWN_MAX = 200;

export function addRegisterCommands(obligation: Command): void {
  obligation
    .command('list')
    .description('obligations of entities and awards; those to look up with the state first')
    .option('--due-before <day>', 'due before this day')
    .option('--jurisdiction <codes...>', 'only these, for instance US-DE US-CA')
    .option('--state <states...>', `${STATES.join(', ')} (default: open and record_needed)`)
    .option('--ics <file>', 'write a calendar; later issues update or cancel earlier entries')
    .option('--ics-name <name>', 'name of the calendar (default: from the jurisdictions)')
    .option('--csv <file>', 'write a CSV file; no cell can run as a formula')
    .inApp(async (context, own: ListOptions) => listAction(own, context));

  obligation
    .command('recompute')
    .description(
      'recompute every open obligation and list the dates that change, earlier dates first',
    )
    .option('--dry-run', 'list the changes; write nothing')
    .option('--jurisdiction <code>', 'only this one')
    .option('--as-of <day>', 'compute as of this day (default: today in UTC)')
    .option('--law <folder>', 'with --dry-run: the law in another folder of the same layout')
    .inApp(async (context, own: RecomputeOptions) => recomputeAction(own, context));
}

async function listAction(own: ListOptions, { app, out, actor }: Context): Promise<void> {
  const dueBefore =
    own.dueBefore === undefined ? undefined : readDay('--due-before', own.dueBefore);
  const jurisdictions = jurisdictionsOf(own.jurisdiction);
  const question = {
    states: statesOf(own.state),
    jurisdictions,
    ...(dueBefore === undefined ? {} : { dueBefore }),
  };
  const { issueIcs, laterRecord, laterRecordWords, listObligations } = await import(
    '../../entities/index.ts'
  );
  const { awardEntries, awardObligations, isAsked, oneList } = await import(
    '../../grants/index.ts'
  );
  const awards = await awardObligations(app, actor);
  const found = oneList(
    await listObligations(app, actor, question),
    awards.filter((one) => isAsked(one, question)),
  ).map((one): Shown => {
    const later = one.state === 'open' ? laterRecord(one.answer['alarms'], one.raw) : undefined;
    return { ...one, later, alarm: later === undefined ? undefined : laterRecordWords(later) };
  });
  const ics =
    own.ics === undefined
      ? undefined
      : await issueIcs(app, actor, {
          jurisdictions,
          awards: awardEntries(awards, jurisdictions),
          ...(dueBefore === undefined ? {} : { dueBefore }),
          ...(own.icsName === undefined ? {} : { name: own.icsName }),
        });
  if (own.ics !== undefined && ics !== undefined) writeWhole(own.ics, ics.text);
  if (own.csv !== undefined) {
    const lines = [CSV_COLUMNS.map(([name]) => name), ...found.map(csvCells)];
    writeWhole(own.csv, lines.map((cells) => csvLine(cells)).join(''));
  }
  const tasks = found.filter((one) => one.state === 'record_needed').length;
  out.result(
    'obligation list',
    {
      obligations: found.map(listed),
      tasks,
      ...(ics === undefined ? {} : { ics: { name: ics.name, ...ics.counts } }),
    },
    () => listText(found, ics === undefined ? undefined : { ...ics, file: own.ics ?? '' }),
  );
}

function listText(
  found: readonly Shown[],
  ics: (IssuedIcs & { readonly file: string }) | undefined,
): string {
  return [
    table(
      [
        'due',
        'cut-off',
        'jurisdiction',
        'pack',
        'entity',
        'kind',
        'period',
        'fee',
        'state',
        'filing',
      ],
      found.map((one) => [
        one.due ?? 'ask the state',
        localTime(one.cutoff),
        one.jurisdiction,
        one.pack,
        one.entity,
        one.filingKind,
        one.period,
        one.feeCents === undefined ? '' : (one.feeCents / 100).toFixed(2),
        conditionOf(one) === undefined ? one.state : 'conditional',
        one.filing?.status ?? '',
      ]),
    ),
    ...conditionWords(found),
    ...found.flatMap(alarmWords),
    ...found
      .filter((one) => one.state === 'record_needed')
      .map((one) => `${one.entity}: ${reasonOf(one)}`),
    ...(ics === undefined
      ? []
      : [
          `${ics.file}: ${ics.counts.active} dates, ${ics.counts.cancelled} canceled, as "${ics.name}"`,
        ]),
  ].join('\n');
}

async function recomputeAction(own: RecomputeOptions, context: Context): Promise<void> {
  const { app, out, actor } = context;
  const { recompute, registerLaw } = await import('../../entities/index.ts');
  const isDryRun = own.dryRun === true;
  if (own.law !== undefined && !isDryRun) {
    throw misuse('--law needs --dry-run: only the shipped law is applied');
  }
  const done = await recompute(app, actor, {
    dryRun: isDryRun,
    ...(own.asOf === undefined ? {} : { asOf: readDay('--as-of', own.asOf) }),
    ...(own.jurisdiction === undefined ? {} : { jurisdiction: own.jurisdiction }),
    ...(own.law === undefined ? {} : { law: registerLaw(own.law) }),
  });
  out.result('obligation recompute', { ...done, dryRun: isDryRun }, () =>
    recomputed(done, isDryRun).join('\n'),
  );
  if (done.faults.length + done.counts.blocked > 0) process.exitCode = EXIT.conflict;
}

function recomputed(done: Recomputation, isDryRun: boolean): string[] {
  const { counts } = done;
  return [
    ...done.moves.slice(0, MOVES_SHOWN_MAX).map(moveWords),
    ...(done.moves.length > MOVES_SHOWN_MAX
      ? [`and ${done.moves.length - MOVES_SHOWN_MAX} more; see --json`]
      : []),
    ...done.faults.map(({ entity, where, why }) => `CANNOT COMPUTE ${entity}: ${where}: ${why}`),
    `${done.entities} entities${isDryRun ? ' (nothing written)' : ''}: ${counts.new} new, ${counts.moved} moved (${done.earlier} earlier), ${counts.superseded} superseded, ${counts.met} met, ${counts.blocked} blocked by a filing; rules ${done.ruleVersion}, calendar ${done.calendarVersion}`,
  ];
}

function moveWords(move: Move): string {
  const what = move.changes
    .map(({ field, from, to }) => `${field} ${from ?? 'none'} -> ${to ?? 'none'}`)
    .join(', ');
  return [
    move.isEarlier ? 'EARLIER' : move.kind.toUpperCase(),
    move.entity,
    move.filingKind,
    move.period,
    what === '' ? (move.due ?? '') : what,
    move.why ?? '',
    move.filing === undefined ? '' : `[filing ${move.filing}]`,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** Without the steps, which entity show has. */
function listed(one: Shown) {
  const { answer, later, alarm: _words, ...columns } = one;
  const alarms = Array.isArray(answer['alarms']) ? answer['alarms'] : [];
  const condition = conditionOf(one);
  return {
    ...columns,
    ...(condition === undefined ? {} : { condition }),
    alarms,
    ...(later === undefined ? {} : { laterThanLaw: later }),
    ...(one.due === undefined ? { reason: reasonOf(one) } : {}),
  };
}

/** With the alarm of a state's record that is later than the law; of what is done it says nothing any more. */
interface Shown extends ListedObligation {
  readonly later: LaterRecord | undefined;
  readonly alarm: string | undefined;
}

function alarmWords(one: Shown): string[] {
  return one.alarm === undefined
    ? []
    : [`ALARM ${one.entity}, ${one.jurisdiction}, ${one.filingKind} ${one.period}: ${one.alarm}`];
}

/** On what it depends whether it is owed at all; undefined for what is owed. */
function conditionOf({ state, answer }: ListedObligation): string | undefined {
  const { condition } = answer;
  return state === 'open' && typeof condition === 'string' ? condition : undefined;
}

/** Each condition once, with how many duties depend on it. */
function conditionWords(found: readonly ListedObligation[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const one of found) {
    const condition = conditionOf(one);
    if (condition !== undefined) counts.set(condition, (counts.get(condition) ?? 0) + 1);
  }
  return [...counts].map(
    ([condition, count]) => `conditional (${count}): owed only if ${condition}`,
  );
}

function reasonOf(one: ListedObligation): string {
  const { reason } = one.answer;
  return typeof reason === 'string' ? reason : '';
}

const CSV_COLUMNS: readonly (readonly [string, (one: Shown) => string | number | undefined])[] = [
  ['obligation', (one) => one.id],
  ['entity_id', (one) => one.entity],
  ['jurisdiction', (one) => one.jurisdiction],
  ['registry_number', (one) => one.registryNumber],
  ['filing_kind', (one) => one.filingKind],
  ['period', (one) => one.period],
  ['state', (one) => one.state],
  ['not_before', (one) => one.notBefore],
  ['due', (one) => one.due],
  ['cutoff', (one) => one.cutoff],
  ['final', (one) => one.final],
  ['penalty_free_until', (one) => one.penaltyFreeUntil],
  ['fee', (one) => (one.feeCents === undefined ? undefined : (one.feeCents / 100).toFixed(2))],
  ['confidence', (one) => one.confidence],
  ['rule', (one) => one.ruleId],
  ['rule_version', (one) => one.ruleVersion],
  ['filing', (one) => one.filing?.status],
  ['reason', (one) => (one.due === undefined ? reasonOf(one) : undefined)],
  ['condition', conditionOf],
  ['pack', (one) => one.pack],
  ['alarm', (one) => one.alarm],
];

function csvCells(one: Shown): (string | number | undefined)[] {
  return CSV_COLUMNS.map(([, cell]) => cell(one));
}

function statesOf(given: readonly string[] | undefined): readonly ObligationState[] {
  if (given === undefined) return ['open', 'record_needed'];
  return given
    .flatMap((word) => word.split(','))
    .map((word) => {
      const found = STATES.find((state) => state === word);
      if (found !== undefined) return found;
      throw misuse(`--state: expected one of ${STATES.join(', ')}, found "${word}"`);
    });
}

export function jurisdictionsOf(given: readonly string[] | undefined): readonly string[] {
  return (given ?? []).flatMap((word) => word.split(',')).filter((word) => word !== '');
}

export function readDay(option: string, text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // February 30 must not become March 1.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)) return text;
  throw misuse(`${option}: expected a day like 2027-03-01, found "${text}"`);
}

/** `2027-03-01T23:45:00-05:00` is `Mar 1, 2027, 11:45 p.m. (UTC-05:00)`: the clock at the office, whose zone the law gives by its distance. */
function localTime(text: string | undefined): string {
  const [, clock, offset] = /^(.+T[\d:.]+)([+-]\d{2}:\d{2}|Z)$/.exec(text ?? '') ?? [];
  if (clock === undefined) return text ?? '';
  const shown = shownTime(Date.parse(`${clock}Z`), 'UTC');
  return offset === 'Z' ? shown : shown.replace(/ UTC$/, ` (UTC${offset ?? ''})`);
}
