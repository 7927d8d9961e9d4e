import type { Command } from '../command.ts';
import { listProposals, listReviews, openReview } from '../../filings/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { iso, span, table } from '../output.ts';
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

function addList(review: Command): void {
  review
    .command('list')
    .description('open exceptions, most urgent first')
    .option('--lane <code>')
    .option('--batch <id>')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { lane?: string; batch?: string; limit: string }) => {
      checkUuid('--batch', own.batch);
      const filter = { ...own, limit: readLimit(own.limit) };
      const exceptions = await listReviews(app, actor, filter);
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
      const head = ['filing', 'lane', 'entity', 'status', 'reason', 'may be filed', 'slack'];
      out.result('review list', { exceptions: rows }, () =>
        table(
          [...head, 'since', 'with'],
          rows.map((r) => [
            r.filing,
            r.lane,
            r.entity,
            r.status,
            r.reason,
            r.mayBeFiled ? 'yes' : 'no',
            span(r.slackMs),
            r.openedAt,
            r.assignedTo ?? '',
          ]),
        ),
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
      out.result('review show', { ...rest, ...opened, assignedTo: assignedTo ?? null }, () =>
        own.hex === true ? hexText(file) : reviewText(describe(exception.filing), file, assignedTo),
      );
    });
}

function addProposals(review: Command): void {
  review
    .command('proposals')
    .description('proposals that await approval by a second person')
    .option('--all', 'include decided proposals')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { all?: true; limit: string }) => {
      const filter = { all: own.all === true, limit: readLimit(own.limit) };
      const proposals = await listProposals(app, actor, filter);
      out.result('review proposals', { proposals }, () =>
        table(
          ['proposal', 'what', 'filings', 'proposed by', 'at', 'state', 'hash'],
          proposals.map((p) => [
            p.id,
            p.kind,
            p.count,
            p.proposedBy,
            iso(p.proposedAt),
            p.decision,
            p.sha256,
          ]),
        ),
      );
    });
}
