/** `batch show`: what the second person looks at, on the screen, in JSON or on paper. */
import { writeFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import {
  type Batch,
  type BatchQuestion,
  type BatchReview,
  readBatchId,
  reviewBatch,
  type ReviewedFiling,
  reviewPage,
  totalCents,
} from '../../filings/index.ts';
import { overLimit, shownTime } from '../../core/index.ts';
import { readLimit } from '../arguments.ts';
import { iso, table } from '../output.ts';
import { linesPdf } from '../paper.ts';
import { moment } from '../shown.ts';
import { nextCommand } from './next-command.ts';

interface ShowOptions {
  readonly limit: string;
  readonly after?: string;
  readonly all?: true;
  readonly pdf?: string;
}

export function addShowCommand(batch: Command): void {
  batch
    .command('show <batch>')
    .alias('review')
    .description(
      'each filing of a batch before it is approved: entity, state, period, due, fee, what changed since last year, warnings; totals and the largest fees',
    )
    .option('--limit <n>', 'filings on a page', '50')
    .option('--after <cursor>', 'the next page: what the page before showed')
    .option('--all', 'every page')
    .option('--pdf <file>', 'write every page into a PDF for printing')
    .inApp(async ({ app, out, actor }, name: string, own: ShowOptions) => {
      const id = readBatchId(name);
      const isWhole = own.all === true || own.pdf !== undefined;
      const limit = isWhole ? PAGE_MAX : readLimit(own.limit);
      const first = await reviewBatch(app, actor, {
        batch: id,
        limit,
        ...(own.after === undefined ? {} : { after: own.after }),
      });
      if (isWhole && first.terms.count > WHOLE_MAX) {
        throw overLimit(
          `--all and --pdf show at most ${WHOLE_MAX} filings, and this batch has ${first.terms.count}; go through its pages with --after`,
        );
      }
      const filings = [...first.filings];
      let after = isWhole ? first.next : undefined;
      while (after !== undefined) {
        const page = await reviewPage(app, actor, { batch: id, limit, after });
        filings.push(...page.filings);
        after = page.next;
      }
      const shown = { ...first, filings, next: isWhole ? undefined : first.next };
      const next = nextWords(shown, nextCommand(app.dataDirectory));
      const text = (): string => [...reviewLines(shown), ...next].join('\n');
      if (own.pdf !== undefined) {
        const title = `Batch ${id}`;
        writeFileSync(own.pdf, await linesPdf(text().split('\n'), title, app.clock.now()));
        out.say(`Written: ${own.pdf}`);
      }
      out.result('batch show', reviewData(shown), text);
    });
}

const PAGE_MAX = 500;
/** Held at once, and more pages than anybody prints. */
const WHOLE_MAX = 5_000;

function reviewLines(review: BatchReview): string[] {
  const { batch, terms, states, largest, questions, filings } = review;
  const count = terms.count;
  const part = filings.length === count ? `${count}` : `${filings.length} of ${count}`;
  return [
    `Batch ${batch.id}: ${batch.source}, ${stateWords(batch)}.`,
    `Prepared by ${batch.preparedBy} at ${moment(batch.preparedAt)}: ${count} filings, ${dollars(totalCents(terms.fees))} in fees.`,
    `hash  ${terms.sha256}`,
    ...(terms.proposal === undefined ? [] : [`proposal  ${terms.proposal.sha256}`]),
    '',
    table(
      ['lane', 'leads to'],
      terms.lanes.map(({ lane, origin }) => [lane, origin]),
    ),
    '',
    table(
      ['payment method', 'filings', 'fees'],
      terms.fees.map(({ rail, filings: n, cents }) => [rail, n, dollars(cents)]),
    ),
    '',
    table(
      ['state', 'filings', 'fees'],
      states.map(({ jurisdiction, filings: n, cents }) => [jurisdiction, n, dollars(cents)]),
    ),
    ...(largest.length === 0
      ? []
      : [
          '',
          table(
            ['largest fees', 'state', 'fee', 'filing'],
            largest.map((one) => [one.entity, one.jurisdiction, dollars(one.cents), one.filing]),
          ),
        ]),
    ...questionLines(questions),
    '',
    `Filings: ${part}`,
    ...filings.flatMap((one) => filingLines(one)),
  ];
}

function stateWords(batch: Batch): string {
  if (batch.state === 'frozen') return 'waiting for approval';
  if (batch.state === 'approved') return `approved by ${batch.approvedBy ?? '-'}`;
  return batch.state === 'open' ? 'its import did not finish' : 'cancelled';
}

function questionLines(questions: readonly BatchQuestion[]): string[] {
  if (questions.length === 0) return [];
  return [
    '',
    ...questions.flatMap((one) => [
      `Question ${one.n} by ${one.askedBy}${one.filing === undefined ? '' : ` about filing ${one.filing}`}: ${one.question}`,
      one.answer === undefined ? '  not answered yet' : `  ${one.answeredBy ?? '-'}: ${one.answer}`,
    ]),
  ];
}

function filingLines(one: ReviewedFiling): string[] {
  const { entityName, registryNumber, jurisdiction, filingKind, period, former, changes } = one;
  const state = one.isWithdrawn ? ' (withdrawn)' : one.heldBack === undefined ? '' : ' (held back)';
  return [
    '',
    `${entityName}, ${jurisdiction}, ${registryNumber}${state}`,
    `  ${filingKind} ${period}  due ${shownTime(one.due, one.zone)}  fee ${dollars(one.feeCents)}`,
    `  filing  ${one.id}`,
    ...(one.heldBack === undefined ? [] : [`  held back: ${one.heldBack}`]),
    former === undefined
      ? '  no earlier filing to compare with'
      : changes === undefined
        ? `  the filing of ${former.period} is on another desk, so nothing is compared`
        : changes.length === 0
          ? `  nothing has changed since ${former.period}`
          : `  changed since ${former.period}:`,
    ...(changes ?? []).map(
      ({ field, old, new: now }) => `    ${field}: ${value(old)} → ${value(now)}`,
    ),
    ...one.warnings.map((warning) => `  ! ${warning}`),
  ];
}

function value(found: unknown): string {
  return found === undefined ? 'absent' : JSON.stringify(found);
}

function nextWords({ batch, terms, next }: BatchReview, start: string): string[] {
  const page =
    next === undefined ? [] : ['', `Next page: ${start} batch show ${batch.id} --after ${next}`];
  if (terms.proposal === undefined) return page;
  return [
    ...page,
    '',
    `To approve exactly this: ${start} batch approve ${batch.id} --expect-hash ${terms.sha256}`,
    `To send it back: ${start} batch refuse ${batch.id} --reason WHY; to ask: ${start} batch ask ${batch.id} "QUESTION"`,
  ];
}

function reviewData(review: BatchReview): object {
  const { terms, filings, questions, next, ...rest } = review;
  return {
    ...rest,
    terms: {
      ...terms,
      proposal: terms.proposal?.sha256 ?? null,
      totalCents: totalCents(terms.fees),
    },
    questions: questions.map(({ askedAt, answeredAt, ...one }) => ({
      ...one,
      askedAt: iso(askedAt),
      answeredAt: answeredAt === undefined ? null : iso(answeredAt),
    })),
    filings: filings.map(({ notBefore, due, lastSafe, ...one }) => ({
      ...one,
      notBefore: iso(notBefore),
      due: iso(due),
      lastSafe: iso(lastSafe),
    })),
    next: next ?? null,
  };
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
