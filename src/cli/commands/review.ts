import type { Command } from '../command.ts';
import {
  countProposals,
  countReviews,
  listProposals,
  listReviews,
  officeZones,
  openReview,
} from '../../filings/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { pageOf, pageWords } from '../page.ts';
import { iso, span, table } from '../output.ts';
import { moment } from '../shown.ts';
import { describe } from './filing.ts';
import { addReviewDecisions } from './review-decide.ts';
import { hexText, reviewText } from './review-text.ts';

export { evidenceText } from './review-text.ts';

export function addCommands(review: Command): void {
  addList(review);
  addShow(review);
  addProposals(review);
  addReviewDecisions(review);
}

interface ListOptions {
  readonly lane?: string;
  readonly batch?: string;
  readonly after?: string;
  readonly limit: string;
}

function addList(review: Command): void {
  review
    .command('list')
    .description('open exceptions, most urgent first')
    .option('--lane <code>')
    .option('--batch <id>')
    .option('--after <filing>', 'start after this filing')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: ListOptions) => {
      checkUuid('--batch', own.batch);
      checkUuid('--after', own.after);
      const filter = { ...own, limit: readLimit(own.limit) };
      const exceptions = await listReviews(app, actor, filter);
      const total = await countReviews(app, actor, filter);
      const page = pageOf(
        exceptions.map((x) => x.filing.id),
        { limit: filter.limit, total },
      );
      const rows = exceptions.map((x) => ({
        filing: x.filing.id,
        lane: x.filing.lane,
        entity: x.filing.entityId,
        status: x.filing.status,
        reason: x.reason,
        mayBeFiled: x.unsettled !== undefined,
        slackMs: x.filing.lastSafe - app.clock.now(),
        openedAt: iso(x.openedAt),
        assignedTo: x.assignedTo ?? null,
      }));
      const head = ['lane', 'entity', 'status', 'reason', 'may be filed', 'slack', 'since', 'with'];
      out.result('review list', { exceptions: rows, ...page }, () =>
        [
          table(
            [...head, 'filing'],
            exceptions.map((x, at) => [
              x.filing.lane,
              x.filing.entityId,
              x.filing.status,
              x.reason,
              x.unsettled === undefined ? 'no' : 'yes',
              span(rows[at]?.slackMs),
              moment(x.openedAt),
              x.assignedTo ?? '',
              x.filing.id,
            ]),
          ),
          ...pageWords(rows.length, page, 'exceptions'),
        ].join('\n'),
      );
    });
}

function addShow(review: Command): void {
  review
    .command('show <filing>')
    .description('show an exception: payload, hash, trace, exact response, violations, attempts')
    .option('--hex', 'show a hex dump of the exact bytes sent and received instead')
    .inApp(async ({ app, out, actor }, id: string, own: { hex?: true }) => {
      const file = await openReview(app, actor, id);
      const { exception, assignedTo, ...opened } = file;
      const { envelope: _sealed, ...rest } = exception;
      const zone = await officeZones(app, actor);
      out.result('review show', { ...rest, ...opened, assignedTo: assignedTo ?? null }, () =>
        own.hex === true
          ? hexText(file)
          : reviewText(describe(exception.filing, zone(exception.filing.lane)), file, assignedTo),
      );
    });
}

function addProposals(review: Command): void {
  review
    .command('proposals')
    .description('proposals that await approval by a second person')
    .option('--all', 'include decided proposals')
    .option('--after <proposal>', 'start after this proposal')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { all?: true; after?: string; limit: string }) => {
      checkUuid('--after', own.after);
      const filter = { ...own, all: own.all === true, limit: readLimit(own.limit) };
      const proposals = await listProposals(app, actor, filter);
      const total = await countProposals(app, actor, filter);
      const page = pageOf(
        proposals.map(({ id }) => id),
        { limit: filter.limit, total },
      );
      out.result('review proposals', { proposals, ...page }, () =>
        [
          table(
            ['what', 'filings', 'proposed by', 'at', 'state', 'proposal', 'hash'],
            proposals.map((p) => [
              p.kind,
              p.count,
              p.proposedBy,
              moment(p.proposedAt),
              p.decision,
              p.id,
              p.sha256,
            ]),
          ),
          ...pageWords(proposals.length, page, 'proposals'),
        ].join('\n'),
      );
    });
}
