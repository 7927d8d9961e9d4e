/**
 * Facts that no entry can hold. Whoever makes a fact is held to its bounds (core/fact-bounds.ts), so this is for what came
 * through all the same: it is kept to the byte and sealed (kept-facts.ts), an entry in its place names its hash, and a
 * person is told. The log goes on, because everything behind it would otherwise wait for ever.
 */
import { FilewrightError, type Instant, sha256Of } from '../../core/index.ts';
import { raiseAlertRow } from './raise-alert.ts';
import { type Row, type Run, sql, text } from '../../postgres/index.ts';
import type { LogName } from './tree-store.ts';

/** Why a fact cannot be written. */
export interface Impossibility {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
}

/** What the entry in its place says of a fact. */
export interface SetAside {
  readonly reason: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Found while a group was written: everything is undone, and the group taken again with these set aside. */
export class ImpossibleFacts extends Error {
  readonly facts: readonly Impossibility[];
  /** How many rows of the group stand before the first of them. */
  readonly before: number;

  constructor(facts: readonly Impossibility[], before: number) {
    super(`${facts.length} facts cannot be written as entries`);
    this.facts = facts;
    this.before = before;
  }
}

const MESSAGE_CHARACTERS_MAX = 1_000;

export function impossibility(row: Row, error: unknown): Impossibility {
  const message = error instanceof Error ? error.message : String(error);
  return {
    id: text(row['id']),
    reason: error instanceof FilewrightError ? error.code : 'MALFORMED',
    message: message.slice(0, MESSAGE_CHARACTERS_MAX),
  };
}

const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BODY_KEYS = ['alg', 'cm', 'ct', 'key'];
const ACTOR_KINDS = ['service', 'user', 'system'];
/** Longer than any name here, and short enough that the parts together are no entry's bound. */
const NAME_CHARACTERS_MAX = 1_000;
const YEAR_9999_END_MS = Date.UTC(10_000, 0, 1);
/** What the log's verifier asks of an entry's data (ledger/filing-history.ts). */
const STATE_FIELDS = ['from', 'to', 'filing'];

/**
 * The fact's place in the log: what of it is lawful stays, so that the versions of its subject and the states of its
 * filing go on without a gap; what is not gives way to the hash of the whole.
 */
export function standIn(row: Row, aside: SetAside, now: Instant): Row {
  const id = lawfulId(row, aside);
  const isSubject =
    isName(row['subj_id']) && isName(row['subj_kind']) && Number(row['subj_ver']) >= 1;
  const isActor = ACTOR_KINDS.includes(String(row['actor_kind'])) && isName(row['actor_id']);
  return {
    id,
    at: isLedgerMoment(row['at']) ? row['at'] : now,
    type: TYPE.test(String(row['type'])) ? row['type'] : 'ledger.set_aside',
    ...(isSubject
      ? { subj_kind: row['subj_kind'], subj_id: row['subj_id'], subj_ver: row['subj_ver'] }
      : { subj_kind: 'set_aside', subj_id: id, subj_ver: 1 }),
    ...(isActor
      ? { actor_kind: row['actor_kind'], actor_id: row['actor_id'] }
      : { actor_kind: 'system', actor_id: 'sequencer' }),
    trace: isName(row['trace']) ? row['trace'] : id,
    cls: row['cls'],
    data: { ...statesOf(row['data']), set_aside: { ...aside } },
    body: isSealedBody(row['body']) ? row['body'] : null,
  };
}

/** One that follows from the fact, so that it is the same however often the group is taken. */
function lawfulId(row: Row, { sha256 }: SetAside): string {
  const id = text(row['id']);
  if (UUID_V7.test(id)) return id;
  const hex = sha256Of(`${id}\n${sha256}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= NAME_CHARACTERS_MAX;
}

function isLedgerMoment(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < YEAR_9999_END_MS;
}

function statesOf(data: unknown): Record<string, string | null> {
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => STATE_FIELDS.includes(name) && (value === null || isName(value)),
    ),
  );
}

function isSealedBody(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  // PostgreSQL's own text of a jsonb.
  const body: unknown = JSON.parse(value);
  if (typeof body !== 'object' || body === null) return false;
  const fields = new Map(Object.entries(body));
  const isHash = (name: string): boolean => /^[0-9a-f]{64}$/.test(String(fields.get(name)));
  return (
    fields.size === BODY_KEYS.length &&
    fields.get('alg') === 'A256GCM' &&
    isName(fields.get('key')) &&
    isHash('ct') &&
    isHash('cm')
  );
}

/** As whoever logged in: the sequencer of a log may touch nothing but its log. */
const OWN_ROLE = sql('ledger-own-role')`select set_config('role', 'none', true)`;

/** In the transaction that sets them aside, and as its last act: nothing is set aside in silence. */
export async function tellSetAside(
  run: Run,
  log: LogName & { readonly origin: string },
  aside: ReadonlyMap<string, SetAside>,
): Promise<void> {
  const [first] = aside.keys();
  if (first === undefined) return;
  await run(OWN_ROLE);
  const facts = aside.size === 1 ? 'A fact' : `${aside.size} facts`;
  const reasons = [...new Set([...aside.values()].map(({ reason }) => reason))].join(', ');
  await raiseAlertRow(run, log.tenant, {
    id: first,
    kind: 'ledger_set_aside',
    subject: log.origin.slice(0, 200),
    severity: 'critical',
    recipient: undefined,
    text: `${facts} could not be written into the log ${log.origin} (${reasons}). The events themselves took place; the log holds their hash, and the full facts are kept. See audit set-aside, and report it.`,
    dedup: `ledger_set_aside/${log.boundary}`,
  });
}

/** Not the fact's own id: the alert of its setting aside will have that one. */
const NEW_ID = sql('ledger-alert-id')`select gen_random_uuid() as id`;

/**
 * A sequencer without the tenant's key leaves such a fact where it is, and with it everything behind: in the clear it
 * may not be kept, and the log may not go past it. Somebody must know, or it would wait for ever.
 */
export async function tellFactWaits(
  run: Run,
  log: LogName & { readonly origin: string },
): Promise<void> {
  const [made] = await run(NEW_ID);
  await raiseAlertRow(run, log.tenant, {
    id: text(made?.['id']),
    kind: 'ledger_fact_waits',
    subject: log.origin.slice(0, 200),
    severity: 'critical',
    recipient: undefined,
    text: `A fact cannot be written into the log ${log.origin}, and the process that found it has no key to seal it, so it and all later facts are waiting. Nothing is lost. Run audit set-aside, which has the key, and report it.`,
    dedup: `ledger_fact_waits/${log.boundary}`,
  });
}
