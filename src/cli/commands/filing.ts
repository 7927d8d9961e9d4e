import type { Command } from '../command.ts';
import {
  attemptWord,
  countFilings,
  defendFiling,
  type FilingView,
  listFilings,
  officeZones,
  openPayload,
  showFiling,
} from '../../filings/index.ts';
import { FILING_STATUSES, type FilingStatus, misuse, shownTime } from '../../core/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { pageOf, pageWords } from '../page.ts';
import { iso, table } from '../output.ts';
import { moment } from '../shown.ts';

interface ListOptions {
  readonly status?: string;
  readonly lane?: string;
  readonly batch?: string;
  readonly after?: string;
  readonly limit: string;
}

export function addCommands(filing: Command): void {
  addList(filing);
  addShow(filing);
  addDefend(filing);
}

function addList(filing: Command): void {
  filing
    .command('list')
    .description('list filings, by id')
    .option('--status <status>', FILING_STATUSES.join(', '))
    .option('--lane <code>')
    .option('--batch <id>')
    .option('--after <id>', 'start after this filing')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: ListOptions) => {
      const { status, ...rest } = own;
      checkUuid('--batch', own.batch);
      checkUuid('--after', own.after);
      const filter = {
        ...rest,
        limit: readLimit(own.limit),
        ...(status === undefined ? {} : { status: readStatus(status) }),
      };
      const filings = await listFilings(app, actor, filter);
      const total = await countFilings(app, actor, filter);
      const zone = await officeZones(app, actor);
      const page = pageOf(
        filings.map(({ id }) => id),
        { limit: filter.limit, total },
      );
      out.result('filing list', { filings, ...page }, () =>
        [
          table(
            [
              'lane',
              'entity',
              'kind',
              'period',
              'status',
              'tries',
              'due',
              'receipt or code',
              'filing',
            ],
            filings.map((f) => [
              f.lane,
              f.entityId,
              f.filingKind,
              f.period,
              f.status,
              f.attempt,
              shownTime(f.due, zone(f.lane)),
              f.receipt ?? f.code ?? '',
              f.id,
            ]),
          ),
          ...pageWords(filings.length, page, 'filings'),
        ].join('\n'),
      );
    });
}

function addShow(filing: Command): void {
  filing
    .command('show <filing>')
    .description('one filing with its attempts; by id or by idempotency key')
    .option('--payload', 'also show the sealed payload')
    .inApp(async ({ app, out, actor }, name: string, own: { payload?: boolean }) => {
      const { filing: found, attempts: made } = await showFiling(app, actor, name);
      const attempts = made.map((attempt) => ({
        attempt: attempt.attempt,
        action: attempt.action,
        what: attemptWord(attempt.action, attempt.outcome?.verdict),
        trace: attempt.id,
        intentAt: iso(attempt.intentAt),
        outcomeAt: iso(attempt.outcome?.at),
        verdict: attempt.outcome?.verdict ?? null,
        code: attempt.outcome?.code ?? null,
      }));
      const payload = own.payload === true ? await openPayload(app, actor, found) : undefined;
      const zone = await officeZones(app, actor);
      out.result(
        'filing show',
        { filing: found, attempts, ...(payload === undefined ? {} : { payload }) },
        () =>
          [
            describe(found, zone(found.lane)),
            '',
            table(
              ['attempt', 'what', 'intent', 'outcome', 'verdict', 'code', 'trace'],
              made.map((one, at) => [
                one.attempt,
                attempts[at]?.what ?? '',
                moment(one.intentAt),
                moment(one.outcome?.at),
                one.outcome?.verdict ?? '',
                one.outcome?.code ?? '',
                one.id,
              ]),
            ),
            ...(payload === undefined ? [] : ['', JSON.stringify(payload, null, 2)]),
          ].join('\n'),
      );
    });
}

function addDefend(filing: Command): void {
  filing
    .command('defend <filing> <dir>')
    .description(
      'write a defense pack for a filing: payload, portal responses, receipt, due date, and proofs that anyone can verify',
    )
    .inApp(async ({ app, out, actor }, name: string, dir: string) => {
      const pack = await defendFiling(app, actor, { filing: name, folder: dir });
      out.result('filing defend', pack, () =>
        [
          `${pack.entries} entries with proofs, ${pack.payloads} payloads, ${pack.answers} answers in ${pack.folder}; begin with README.txt.`,
          ...(pack.shredded === 0 ? [] : [`${pack.shredded} sealed bodies were destroyed.`]),
          `Check it with: python3 ${pack.folder}/verify.py ${pack.folder}`,
        ].join('\n'),
      );
    });
}

/** By the clock of its office: there it is due. */
export function describe(filing: FilingView, zone: string): string {
  const lines: [string, string][] = [
    ['filing', filing.id],
    [
      'status',
      filing.code === undefined
        ? filing.status
        : `${filing.status} (${filing.verdict}: ${filing.code})`,
    ],
    ['lane', filing.lane],
    ['entity', filing.entityId],
    ['kind', `${filing.filingKind} ${filing.period}, revision ${filing.revision}`],
    ['due', shownTime(filing.due, zone)],
    ['last safe', shownTime(filing.lastSafe, zone)],
    ['key', filing.key],
    ['payload sha256', filing.payloadSha256],
    ['receipt', filing.receipt ?? '-'],
    ['next try', moment(filing.nextAt)],
  ];
  return lines.map(([name, value]) => `${name.padEnd(16)}${value}`).join('\n');
}

function readStatus(text: string): FilingStatus {
  const found = FILING_STATUSES.find((status) => status === text);
  if (found === undefined) {
    throw misuse(`--status: expected one of ${FILING_STATUSES.join(', ')}, found "${text}"`);
  }
  return found;
}
