/** How long sealed data is kept: what is due, destroying it, and the holds that forbid it. */
import { type Actor, allow } from '../../access/index.ts';
import { checkReason, misuse, toRfc3339, userFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { sequenceAll } from '../../ledger/index.ts';
import { retainedKeys, shredDue } from '../store/retention.ts';
import { docketSight } from '../../dockets/index.ts';
import { type Hold, listHolds, placeHold, releaseHold } from '../../people/index.ts';

/** Each run of the store destroys at most 500 keys; a run that never comes to an end would be a fault of ours. */
const RUNS_MAX = 10_000;
/** What the data keys of dockets are named by (src/dockets/rules/docket/kept-under.ts). */
const DOCKET_SUBJECT = 'docket/';

/** Names of clients are read only where keys are: most commands of this file's room ask for none. */
const loadRules = () => import('../../dockets/index.ts');

interface RetentionStatus {
  readonly keys: {
    readonly live: number;
    readonly shredded: number;
    /** Past their date, and under no hold. A filing that is still open may need them all the same. */
    readonly due: number;
    /** Past their date, and under a hold. */
    readonly held: number;
    /** The day until which the next ones are kept. */
    readonly next: string | undefined;
  };
  readonly holds: readonly Hold[];
}

interface RetentionRun {
  readonly isDryRun: boolean;
  /** Data keys destroyed, or due in a dry run. */
  readonly keys: number;
  readonly blobs: number;
  readonly extended: number;
  readonly needed: number;
  readonly held: number;
}

/** Keys and holds of dockets show only to who may see every docket: a client's key tells that there is a client. */
export async function retentionStatus(app: Filewright, reader: Actor): Promise<RetentionStatus> {
  allow(reader, 'retention.status');
  const sight = docketSight(app, reader);
  const isShown = async (subject: string | undefined): Promise<boolean> =>
    subject?.startsWith(DOCKET_SUBJECT) !== true || (await sight.seesEverything());
  const today = toRfc3339(app.clock.now()).slice(0, 10);
  const keys = { live: 0, shredded: 0, due: 0, held: 0 };
  let next: string | undefined;
  const { mayHold } = await loadRules();
  for await (const key of retainedKeys(app.session, app.tenant, { mayHold })) {
    if (!(await isShown(key.subject))) continue;
    keys[key.state] += 1;
    if (key.state === 'shredded') continue;
    if (key.retainUntil < today) keys[key.isHeld ? 'held' : 'due'] += 1;
    else if (next === undefined || key.retainUntil < next) next = key.retainUntil;
  }
  const holds: Hold[] = [];
  for (const hold of await listHolds(app.session, app.tenant, { released: false })) {
    if (await isShown(hold.subject)) holds.push(hold);
  }
  return { keys: { ...keys, next }, holds };
}

/** Destroys the data keys whose time has passed, and with them what they sealed; every hash and proof stays valid. */
export async function runRetention(
  app: Filewright,
  actor: Actor,
  options: { readonly dryRun: boolean; readonly backupDays: number },
): Promise<RetentionRun> {
  allow(actor, 'retention.run');
  if (options.dryRun) {
    const { keys } = await retentionStatus(app, actor);
    const { due, held } = keys;
    return { isDryRun: true, keys: due, blobs: 0, extended: 0, needed: 0, held };
  }
  const { mayHold } = await loadRules();
  const total = { keys: 0, blobs: 0, extended: 0, needed: 0, held: 0 };
  for (let run = 0; run < RUNS_MAX; run += 1) {
    const fact = userFact(app, 'retention.shredded', actor, { backup_days: options.backupDays });
    const done = await shredDue(app.session, app.tenant, fact, mayHold);
    app.vault.forget(done.keys);
    total.keys += done.keys.length;
    total.blobs += done.blobs;
    total.extended += done.extended;
    total.needed = done.needed;
    total.held = done.held;
    // Keys that were only kept longer leave room for others that wait behind them.
    if (done.keys.length === 0 && done.extended === 0) break;
  }
  await sequenceAll(app);
  return { isDryRun: false, ...total };
}

/**
 * Holds one subject's data, or everything, whatever its date; a client's dockets in whatever spelling they came. Data may
 * still come, so a subject without any is held all the same; how many live keys it concerns is said, because a name that was mistyped holds nothing.
 */
export async function holdData(
  app: Filewright,
  actor: Actor,
  request: { readonly subject: string | undefined; readonly reason: string },
): Promise<{ readonly id: string; readonly keys: number }> {
  allow(actor, 'retention.hold');
  const reason = checkReason('--reason', request.reason);
  const subject = request.subject?.trim();
  if (subject === '') {
    throw misuse('Expected the name of the entity whose data to hold, found an empty name');
  }
  const id = app.ids.next();
  const fact = userFact(app, 'hold.placed', actor, { hold: id, subject: subject ?? null });
  await placeHold(app.session, app.tenant, { id, subject, reason, by: actor.id }, fact);
  await sequenceAll(app);
  let keys = 0;
  const { mayHold } = await loadRules();
  for await (const key of retainedKeys(app.session, app.tenant)) {
    const isConcerned = subject === undefined || mayHold(subject, key.subject);
    if (key.state === 'live' && isConcerned) keys += 1;
  }
  return { id, keys };
}

/** Only another person than the one who placed it; the database holds to that as well. */
export async function releaseData(app: Filewright, actor: Actor, id: string): Promise<void> {
  allow(actor, 'retention.release');
  const fact = userFact(app, 'hold.released', actor, { hold: id });
  await releaseHold(app.session, app.tenant, id, actor.id, fact);
  await sequenceAll(app);
}
