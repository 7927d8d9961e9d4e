/** What mail and webhooks show of what was sent. */
import { type FilewrightError, ruledOut } from '../../core/index.ts';
import type { NoticeView } from '../../people/index.ts';
import { moment } from '../shown.ts';

export function noticeRows(
  notices: readonly NoticeView[],
  first: (notice: NoticeView) => readonly string[],
): (string | number)[][] {
  return notices.map((n) => [
    ...first(n),
    n.state,
    n.attempts.length,
    n.code ?? '',
    moment(n.createdAt),
    moment(n.nextAt),
  ]);
}

/** A test that failed is still retried by the jobs; whoever tests wants to know now. */
export function notSent(code: string | undefined, log: string): FilewrightError {
  return ruledOut(`The test was not delivered (${code ?? 'no answer'}); see ${log}`);
}
