/**
 * Alerts: told by e-mail and as an event (so by webhook too) when they are raised, and again until a person acknowledges
 * them. Telling and noting that it was told is one transaction, so nobody is told twice for one turn.
 */
import type { DocketId, Ids, PersonId } from '../core/index.ts';
import { addMailNotice } from './store/notices.ts';
import { type Alert, raiseAlertRow, type Severity } from '../ledger/index.ts';
import { dueAlerts, markTold, quietSettledAlerts } from './store/alerts.ts';
import { publishEvent } from './store/events.ts';
import { recipientsOf } from './store/subscriptions.ts';
import type { Run, Session } from '../postgres/index.ts';

const ALERT_EVENT = 'ALERT_RAISED';

const HOUR_MS = 3_600_000;

/**
 * How often somebody is told, and how far apart. A day of it: whoever does not react to that is not reached by more of
 * the same, and the daily digest goes on naming the alert.
 */
const TELLING: Readonly<Record<Severity, { readonly max: number; readonly againMs: number }>> = {
  info: { max: 1, againMs: 0 },
  warning: { max: 6, againMs: 4 * HOUR_MS },
  critical: { max: 24, againMs: HOUR_MS },
};

/** In one run; the rest has its turn a minute later. */
const ALERTS_AT_ONCE = 1_000;
/** More than these to one reader at one time are one letter. */
const LETTERS_MAX = 3;
/** In one letter; the list has the rest. */
const SHOWN_MAX = 200;

export interface NotifyDeps {
  readonly tenant: string;
  readonly ids: Ids;
  /** Who may be told of a docket; without it nobody may. */
  readonly docketReaders?: DocketReaders;
}

export interface AlertDeps extends NotifyDeps {
  readonly session: Session;
}

/**
 * Of the addresses that are told of alerts, those of people who may see the docket; where there is none, those of the
 * people whom the firm has named for that. Empty when nobody can be found.
 */
export type DocketReaders = (
  run: Run,
  docket: DocketId,
  addresses: readonly string[],
) => Promise<readonly string[]>;

export interface NewAlert {
  /** What sort of thing it is, in one word: `slack_low`. */
  readonly kind: string;
  /** What it is about: a lane, a batch, a filing. */
  readonly subject: string;
  readonly severity: Severity;
  /** One sentence or two for the person who must act: what is wrong, and what to do. */
  readonly text: string;
  /** While an alert with this key is open, raising it again is counted and told to nobody, unless it got worse. */
  readonly dedup: string;
  /** It is about more than the open alert with this key was: told again also when the tellings of that one are used up. */
  readonly hasNews?: true;
  /** The tenant's recipients of alerts unless given. */
  readonly recipient?: string;
  /** Whose act it is about; that person cannot acknowledge it. */
  readonly causedBy?: PersonId;
}

type Raised = Pick<Alert, 'id'>;

export async function raiseAlert(deps: AlertDeps, input: NewAlert): Promise<Raised> {
  return deps.session.transaction((run) => raiseAlertIn(run, deps, input));
}

/** The same in a transaction of which it is a part: what is told of and the alert are there together or not at all. */
export async function raiseAlertIn(run: Run, deps: NotifyDeps, input: NewAlert): Promise<Raised> {
  const { tenant, ids } = deps;
  const alert = await raiseAlertRow(run, tenant, {
    recipient: undefined,
    ...input,
    id: ids.next(),
  });
  await tell(run, deps, await dueAlerts(run, tenant, 1, alert.id));
  return alert;
}

/** Tells of every alert whose turn has come again. Returns how many. */
export async function tellDueAlerts(deps: AlertDeps): Promise<number> {
  return deps.session.transaction(async (run) => {
    await quietSettledAlerts(run, deps.tenant);
    const due = await dueAlerts(run, deps.tenant, ALERTS_AT_ONCE);
    await tell(run, deps, due);
    return due.length;
  });
}

/**
 * Who is told of several at once gets one letter: an outage must not fill a mailbox. Only alerts with the same readers stand in
 * one, or the log of letters would tell the others that there is something more.
 */
async function tell(run: Run, deps: NotifyDeps, alerts: readonly Alert[]): Promise<void> {
  const byReaders = new Map<string, { readonly recipients: readonly string[]; told: Told[] }>();
  for (const alert of alerts) {
    await publish(run, deps, alert);
    const { recipients, ...letter } = await letterOf(run, deps, alert);
    const key = JSON.stringify(recipients.toSorted());
    const group = byReaders.get(key) ?? { recipients, told: [] };
    group.told.push({ alert, ...letter });
    byReaders.set(key, group);
    const { max, againMs } = TELLING[alert.severity];
    await markTold(run, deps.tenant, alert, alert.told < max ? againMs : undefined);
  }
  for (const { recipients, told } of byReaders.values()) {
    const letters = told.length <= LETTERS_MAX ? told : [together(told)];
    for (const letter of letters) await send(run, deps, letter, recipients);
  }
}

async function send(
  run: Run,
  { tenant, ids }: NotifyDeps,
  { alert, subject, body }: Told,
  recipients: readonly string[],
): Promise<void> {
  for (const recipient of recipients) {
    await addMailNotice(run, tenant, {
      id: ids.next(),
      origin: 'alert',
      recipient,
      subject,
      body,
      dedup: `alert/${alert.id}/${alert.told}/${recipient}`,
      docket: alert.docket,
    });
  }
}

/** A webhook is nobody who could have a right, so it hears of no docket, and no list of events counts one. */
async function publish(run: Run, deps: NotifyDeps, alert: Alert): Promise<void> {
  if (alert.docket !== undefined) return;
  const { id, kind, subject: about, severity } = alert;
  await publishEvent(run, deps.tenant, {
    id: deps.ids.next(),
    type: ALERT_EVENT,
    data: { alert: id, kind, about, severity, turn: alert.told },
  });
}

interface Told {
  readonly alert: Alert;
  readonly subject: string;
  readonly body: string;
}

/** Named by its most severe alert; one about a docket, where there is one, because that decides who may read the log. */
function together(told: readonly Told[]): Told {
  const inOrder = told.toSorted((a, b) => rankOf(b.alert) - rankOf(a.alert));
  const first = inOrder.find(({ alert }) => alert.docket !== undefined) ?? inOrder[0];
  if (first === undefined) throw new Error('a letter is about something');
  const severity = inOrder[0]?.alert.severity ?? 'warning';
  const shown = inOrder.slice(0, SHOWN_MAX).map(({ body }) => body.trimEnd());
  const more = inOrder.length - shown.length;
  const body = [
    `${inOrder.length} alerts need a person, the most severe first.`,
    ...shown,
    ...(more > 0 ? [`And ${more} more: filewright alert list`] : []),
    '',
  ].join('\n\n');
  return { alert: first.alert, subject: `[${severity}] Several alerts need a person`, body };
}

function rankOf({ severity }: Alert): number {
  return Object.keys(TELLING).indexOf(severity);
}

interface Letter {
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly body: string;
}

/**
 * Of a docket only its readers hear. Where nobody can be found who may see it, the others are told that there is one and
 * nothing about it: a date that passes in silence would be worse.
 */
async function letterOf(
  run: Run,
  { docketReaders, tenant }: NotifyDeps,
  alert: Alert,
): Promise<Letter> {
  const addresses =
    alert.recipient === undefined ? await recipientsOf(run, tenant, 'alert') : [alert.recipient];
  const turn = alert.told;
  const kind = alert.kind.replaceAll('_', ' ');
  const { docket, severity } = alert;
  if (docket === undefined) {
    const subject = `[${severity}] ${alert.subject}: ${kind}`;
    return { recipients: addresses, subject, body: alertText(alert, turn) };
  }
  const readers = (await docketReaders?.(run, docket, addresses)) ?? [];
  const subject = `[${severity}] A docket needs a person`;
  return readers.length > 0
    ? { recipients: readers, subject, body: alertText(alert, turn) }
    : { recipients: addresses, subject, body: UNREADABLE };
}

const UNREADABLE = [
  'A docket needs a person, and no one who receives alerts may see it.',
  'Name a privileged person with a mailbox in the routing matrix.',
  '',
].join('\n');

function alertText(alert: Alert, turn: number): string {
  const { max } = TELLING[alert.severity];
  return [
    alert.text,
    '',
    `About:    ${alert.subject}`,
    `Severity: ${alert.severity}`,
    `Raised:   ${alert.raised} times`,
    `Message:  ${turn} of at most ${max}`,
    '',
    `Acknowledge it with: filewright alert ack ${alert.id}`,
    '',
  ].join('\n');
}
