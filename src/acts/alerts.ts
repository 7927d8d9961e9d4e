/** Alerts, and the mails that tell of them, as a person may see them: what is about a docket only with a right to it. */
import type { Filewright } from '../filewright.ts';
import { FilewrightError } from '../core/index.ts';
import { MAIL_TARGET, type NewAlert, raiseAlert } from '../jobs/index.ts';
import {
  acknowledgeAlert,
  type Alert,
  alertPages,
  findAlerts,
  listNotices,
  type NoticeView,
  type Person,
} from '../store/index.ts';
import { docketSight, firstShown } from './docket-sight.ts';
import { checkId } from './events.ts';
import { userFact } from './people.ts';

const MAILS_PER_PAGE = 100;

export function alertSomebody(app: Filewright, alert: NewAlert): Promise<Alert> {
  return raiseAlert(app, alert);
}

/** The most severe first; those about dockets only to who may see them. */
export function listAlerts(
  app: Filewright,
  reader: Person | undefined,
  filter: { readonly all: boolean; readonly limit: number },
): Promise<Alert[]> {
  const run = app.session.run.bind(app.session);
  const pages = alertPages(run, app.tenant, { all: filter.all });
  return firstShown(pages, docketSight(app, reader), filter.limit);
}

/** Mails as they went out; those about dockets only to who may see them. */
export function listMails(
  app: Filewright,
  reader: Person | undefined,
  limit: number,
): Promise<NoticeView[]> {
  return firstShown(mailPages(app), docketSight(app, reader), limit);
}

async function* mailPages(app: Filewright): AsyncGenerator<readonly NoticeView[]> {
  for (let offset = 0; ; offset += MAILS_PER_PAGE) {
    const filter = { target: MAIL_TARGET, limit: MAILS_PER_PAGE, offset };
    const page = await listNotices(app.session, app.tenant, filter);
    yield page;
    if (page.length < MAILS_PER_PAGE) return;
  }
}

export async function acknowledge(app: Filewright, id: string, actor: Person): Promise<void> {
  checkId('alert', id);
  const [alert] = await findAlerts(app.session, app.tenant, [id]);
  const docket = alert?.docket;
  // Hidden, acknowledged already and unknown are one answer.
  if (docket !== undefined && !(await docketSight(app, actor).mayKnow(docket))) throw noAlert(id);
  const fact = userFact(app, 'alert.acknowledged', actor, { alert: id });
  if (!(await acknowledgeAlert(app.session, app.tenant, id, actor.id, fact))) {
    throw noAlert(id);
  }
  await app.sequencer.sequence();
}

function noAlert(id: string): FilewrightError {
  return new FilewrightError('NOT_FOUND', `There is no open alert ${id}; see alert list`);
}
