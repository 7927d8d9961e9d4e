import type { Command } from '../command.ts';
import type { EntityDetail, EntityView, RegisterReport } from '../../entities/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import { readLimit } from '../arguments.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { pageOf, pageWords } from '../page.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';
import {
  addRowImportOptions,
  countsLine,
  errorLines,
  rowImportOf,
  rowsRead,
  RUN_AGAIN,
} from '../row-import.ts';
import {
  addSheetOptions,
  choicesOf,
  orAsk,
  sheetData,
  type SheetOptions,
  sheetWords,
} from '../sheet-options.ts';
import { readDay } from './obligation-register.ts';

interface ImportOptions extends SheetOptions {
  readonly asOf?: string;
}

interface ListOptions {
  readonly jurisdiction?: string;
  readonly kind?: string;
  readonly q?: string;
  readonly after?: string;
  readonly limit: string;
  readonly names?: true;
}

const KINDS = ['corporation', 'llc', 'lp', 'llp', 'nonprofit', 'pc', 'pllc'];

export function addCommands(entity: Command): void {
  const importing = entity
    .command('import <file>')
    .description(
      'import entities from a spreadsheet (CSV or XLSX) or NDJSON file and compute what each owes; importing the same file again changes nothing',
    );
  addSheetOptions(addRowImportOptions(importing))
    .option('--as-of <day>', 'compute as of this day (default: today in UTC)')
    .action((file: string, own: ImportOptions, command: Command) =>
      importAction(file, own, command.optsWithGlobals()),
    );

  entity
    .command('list')
    .description('list entities, by id')
    .option('--jurisdiction <code>')
    .option('--kind <kind>', KINDS.join(', '))
    .option('--q <text>', 'part of the id or registry number; with --names, also of the name')
    .option('--names', 'show the sealed names; needs your personal key')
    .option('--after <id>', 'start after this entity')
    .option('--limit <n>', 'how many', '50')
    .action((own: ListOptions, command: Command) => listAction(own, command.optsWithGlobals()));

  entity
    .command('show <entity>')
    .description('one entity with its obligations, their reasons, and its filings')
    .option('--sealed', 'also show the sealed name and form fields; needs your personal key')
    .inApp(async ({ app, out, actor }, name: string, own: { sealed?: true }) => {
      const { viewEntity } = await import('../../entities/index.ts');
      const found = await viewEntity(app, actor, name, own.sealed === true);
      out.result('entity show', found, () => detail(found).join('\n'));
    });
}

async function importAction(
  file: string,
  own: ImportOptions,
  options: GlobalOptions,
): Promise<void> {
  await withApp(options, async ({ app, out, actor }) => {
    const { importRegister } = await import('../../entities/index.ts');
    await orAsk(out, 'entity import', { file, own }, async () => {
      const report = await importRegister(app, actor, {
        ...rowImportOf(file, own),
        choices: choicesOf(own),
        ...(own.asOf === undefined ? {} : { asOf: readDay('--as-of', own.asOf) }),
        onProgress: rowsRead(out, own.dryRun === true, RUN_AGAIN),
      });
      const { sheet, ...rest } = report;
      out.result(
        'entity import',
        { ...rest, sheet: sheetData(sheet), dryRun: own.dryRun === true },
        () => importWords(report, own.dryRun === true).join('\n'),
      );
      if (report.refused > 0) process.exitCode = EXIT.conflict;
    });
  });
}

function importWords(report: RegisterReport, isDryRun: boolean): string[] {
  const { obligations } = report;
  return [
    countsLine(report, isDryRun),
    `Obligations: ${obligations.created} new, ${obligations.moved} moved, ${obligations.superseded} superseded, ${obligations.recordNeeded} to look up with the state, ${obligations.blocked} blocked by a filing.`,
    ...laterLines(report),
    ...sheetWords(report.sheet),
    ...errorLines(report, report.sheet),
  ];
}

const LATER_SHOWN_MAX = 20;

function laterLines({ later, obligations }: RegisterReport): string[] {
  const shown = later.slice(0, LATER_SHOWN_MAX);
  const rest = obligations.recordLater - shown.length;
  return [
    ...shown.map(
      (one) =>
        `ALARM ${one.entity}, ${one.jurisdiction}, ${one.filingKind} ${one.period}: the state’s record shows ${one.record}, later than ${one.law}, which the law gives; file by ${one.law} until the office has confirmed the later one.`,
    ),
    ...(rest > 0 ? [`ALARM ${rest} more; see obligation list`] : []),
  ];
}

async function listAction(own: ListOptions, options: GlobalOptions): Promise<void> {
  if (own.kind !== undefined && !KINDS.includes(own.kind)) {
    throw misuse(`--kind: expected one of ${KINDS.join(', ')}, found "${own.kind}"`);
  }
  await withApp(options, async ({ app, out, actor }) => {
    const { countEntities, viewEntities } = await import('../../entities/index.ts');
    const { names, limit: most, ...filter } = own;
    const limit = readLimit(most);
    const found = await viewEntities(app, actor, { ...filter, limit }, names === true);
    // Names are sealed: how many hold a text is known when all of them have been opened.
    const isSearch = names === true && own.q !== undefined;
    const total = isSearch ? found.length : await countEntities(app, actor, filter);
    const page = pageOf(
      found.map(({ id }) => id),
      { limit, total: isSearch && found.length === limit ? found.length + 1 : total },
    );
    const entities = found.map(({ sealed, ...plain }) => ({
      ...plain,
      ...(sealed === undefined ? {} : { name: sealed.entity_name }),
    }));
    out.result('entity list', { entities, ...page, ...(isSearch ? { total: null } : {}) }, () =>
      [
        table(
          [
            'entity',
            'jurisdiction',
            'number',
            'kind',
            'origin',
            'formed',
            ...(names ? ['name'] : []),
          ],
          found.map((one) => [
            one.id,
            one.jurisdiction,
            one.registryNumber,
            one.kind,
            one.origin,
            one.formationDate ?? '',
            ...(names ? [one.sealed?.entity_name ?? ''] : []),
          ]),
        ),
        ...(isSearch
          ? searchWords(found.length, page.next)
          : pageWords(found.length, page, 'entities')),
      ].join('\n'),
    );
  });
}

function detail({ entity, obligations, filings }: EntityDetail): string[] {
  return [
    ...facts(entity),
    '',
    table(
      [
        'obligation',
        'kind',
        'period',
        'state',
        'not before',
        'due',
        'final',
        'fee',
        'confidence',
        'rules',
      ],
      obligations.map((one) => [
        one.id,
        one.filingKind,
        one.period,
        one.state,
        one.notBefore ?? '',
        one.due ?? '',
        one.final ?? '',
        one.feeCents === undefined ? '' : (one.feeCents / 100).toFixed(2),
        one.confidence,
        one.ruleVersion,
      ]),
    ),
    ...obligations.flatMap((one) => reasons(one.filingKind, one.period, one.answer)),
    '',
    table(
      ['filing', 'lane', 'kind', 'period', 'status', 'due', 'receipt'],
      filings.map((one) => [
        one.id,
        one.lane,
        one.filingKind,
        one.period,
        one.status,
        moment(one.due),
        one.receipt ?? '',
      ]),
    ),
  ];
}

function facts(entity: EntityView): string[] {
  const lines: [string, string][] = [
    ['entity', entity.id],
    ['registry', `${entity.jurisdiction} ${entity.registryNumber}`],
    ['kind', `${entity.origin} ${entity.kind}`],
    ['formed', entity.formationDate ?? '-'],
    ['fiscal year end', entity.fiscalYearEnd ?? '-'],
    ...Object.entries(entity.stateRecordDue).map(([kind, day]): [string, string] => [
      'state record',
      `${kind} ${day}`,
    ]),
    ['version', `${entity.ver}, changed ${moment(entity.changedAt)}`],
    ...(entity.sealed === undefined
      ? []
      : ([['sealed', JSON.stringify(entity.sealed, null, 2)]] as [string, string][])),
  ];
  return lines.map(([name, value]) => `${name.padEnd(17)}${value}`);
}

function reasons(
  kind: string,
  period: string,
  answer: Readonly<Record<string, unknown>>,
): string[] {
  const list = (name: string): readonly Readonly<Record<string, unknown>>[] => {
    const value = answer[name];
    // Written by the register as lists of objects.
    return Array.isArray(value) ? (value as readonly Readonly<Record<string, unknown>>[]) : [];
  };
  const reason = answer['reason'];
  return [
    '',
    `${kind} ${period}`,
    ...(typeof reason === 'string' ? [`  ${reason}`] : []),
    ...list('steps').map(
      (step) => `  ${String(step['n'])}. ${String(step['date'])}  ${String(step['text'])}`,
    ),
    ...list('alarms').map(
      (alarm) => `  ALARM ${String(alarm['code'])}: ${String(alarm['message'])}`,
    ),
  ];
}

function searchWords(shown: number, next: string | null): string[] {
  return next === null
    ? []
    : [`The first ${shown} are shown. For the next ones add: --after ${next}`];
}
