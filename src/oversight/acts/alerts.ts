/** Alerts, and the mails that tell of them, as a person may see them: what is about a docket only with a right to it. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { type FilewrightError, notFound, ruledOut, userFact } from '../../core/index.ts';
import {
  acknowledgeAlert,
  alertPages,
  checkId,
  findAlerts,
  listNotices,
  MAIL_TARGET,
  type NoticeView,
} from '../../people/index.ts';
import { type Alert, partiesOf } from '../../ledger/index.ts';
import { docketSight, firstShown } from '../../dockets/index.ts';

const MAILS_PER_PAGE = 100;

/** The most severe first; those about dockets only to who may see them. */
export async function listAlerts(
  app: Filewright,
  reader: Actor,
  filter: { readonly all: boolean; readonly limit: number },
): Promise<Alert[]> {
  allow(reader, 'alert.list');
  const run = app.session.run.bind(app.session);
  const pages = alertPages(run, app.tenant, { all: filter.all });
  return firstShown(pages, docketSight(app, reader), filter.limit);
}

/** Mails as they went out; those about dockets only to who may see them. */
export async function listMails(
  app: Filewright,
  reader: Actor,
  limit: number,
): Promise<NoticeView[]> {
  allow(reader, 'mail.log');
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

export async function acknowledge(app: Filewright, actor: Actor, id: string): Promise<void> {
  allow(actor, 'alert.ack');
  checkId('alert', id);
  const [alert] = await findAlerts(app.session, app.tenant, [id]);
  const docket = alert?.docket;
  // Hidden, acknowledged already and unknown are one answer.
  if (docket !== undefined && !(await docketSight(app, actor).mayKnow(docket))) throw noAlert(id);
  const by = alert?.causedBy;
  const parties = by && (await partiesOf(app.session.run.bind(app.session), app.tenant, [by]));
  if (by !== undefined && parties?.get(by) === actor.party) {
    throw ruledOut(
      'This alert is about what you did, or someone who counts as one with you; another person acknowledges it',
    );
  }
  const fact = userFact(app, 'alert.acknowledged', actor, { alert: id });
  if (!(await acknowledgeAlert(app.session, app.tenant, id, actor.id, fact))) {
    throw noAlert(id);
  }
  await app.sequencer.sequence();
}

function noAlert(id: string): FilewrightError {
  return notFound(`There is no open alert ${id}; see alert list`);
}
