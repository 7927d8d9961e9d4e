/**
 * Alerts: told by e-mail and as an event (so by webhook too) when they are raised, and again until a person acknowledges
 * them. Telling and noting that it was told is one transaction, so nobody is told twice for one turn.
 */
import type { Ids } from '../core/index.ts';
import {
  addMailNotice,
  type Alert,
  dueAlerts,
  markTold,
  publishEvent,
  raiseAlertRow,
  recipientsOf,
  type Session,
  type Severity,
} from '../store/index.ts';

export const ALERT_EVENT = 'ALERT_RAISED';

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
const ALERTS_AT_ONCE = 100;

export interface AlertParts {
  readonly session: Session;
  readonly tenant: string;
  readonly ids: Ids;
}

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
  /** The tenant's recipients of alerts unless given. */
  readonly recipient?: string;
}

export async function raiseAlert(parts: AlertParts, input: NewAlert): Promise<Alert> {
  const { session, tenant, ids } = parts;
  return session.transaction(async (run) => {
    const alert = await raiseAlertRow(run, tenant, {
      recipient: undefined,
      ...input,
      id: ids.next(),
    });
    for (const due of await dueAlerts(run, tenant, 1, alert.id)) await tell(run, parts, due);
    return alert;
  });
}

/** Tells of every alert whose turn has come again. Returns how many. */
export async function tellDueAlerts(parts: AlertParts): Promise<number> {
  return parts.session.transaction(async (run) => {
    const due = await dueAlerts(run, parts.tenant, ALERTS_AT_ONCE);
    for (const alert of due) await tell(run, parts, alert);
    return due.length;
  });
}

async function tell(run: Session['run'], parts: AlertParts, alert: Alert): Promise<void> {
  const { tenant, ids } = parts;
  const turn = alert.told + 1;
  await publishEvent(run, tenant, {
    id: ids.next(),
    type: ALERT_EVENT,
    data: {
      alert: alert.id,
      kind: alert.kind,
      about: alert.subject,
      severity: alert.severity,
      turn,
    },
  });
  const recipients =
    alert.recipient === undefined ? await recipientsOf(run, tenant, 'alert') : [alert.recipient];
  for (const recipient of recipients) {
    await addMailNotice(run, tenant, {
      id: ids.next(),
      origin: 'alert',
      recipient,
      subject: `[${alert.severity}] ${alert.subject}: ${alert.kind.replaceAll('_', ' ')}`,
      body: alertText(alert, turn),
      dedup: `alert/${alert.id}/${turn}/${recipient}`,
    });
  }
  const { max, againMs } = TELLING[alert.severity];
  await markTold(run, tenant, alert.id, turn < max ? againMs : undefined);
}

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
