/** What every stage of the grants pipeline does in the same way: take on its role, seal under its own keys, record its facts. */
import {
  type ActorRef,
  boundedFact,
  canonicalBytes,
  checkFact,
  type EntryId,
  entryId,
  type FactType,
  type Ids,
  type Instant,
  type JsonValue,
  type SealedPayload,
  toRfc3339,
  type Vault,
  type WrappedKey,
} from '../../core/index.ts';
import { dataKeys, type Installation, KeyVault, logOrigin } from '../../ledger/index.ts';
import {
  assumeRole,
  bytes,
  type Row,
  type Run,
  SEALED_COLUMNS,
  sealedOf,
  sql,
  type Stage,
  text,
} from '../../postgres/index.ts';

/** One transaction of a stage, in its role from the first statement to the last. */
export interface StageRun {
  readonly run: Run;
  readonly stage: Stage;
  readonly tenant: string;
  /** Data keys by subject. Only as long as the transaction: one that is undone takes the keys that it made with it. */
  readonly keys: Map<string, WrappedKey>;
}

interface StageDeps
  extends Pick<Installation, 'session' | 'tenant' | 'instance' | 'tenantKey' | 'ids' | 'random'> {
  /** For the month of data keys. */
  readonly now: () => Instant;
}

/** Domains of data keys; `award` and `escalation` are contracts between stages (walls.ts). */
type KeyDomain = Stage | 'award' | 'escalation';

export interface SealedBytes {
  readonly entry: EntryId;
  readonly key: string;
  readonly blob: Uint8Array;
}

// A body is some hundred kilobytes here: it goes as bytes beside the fact, not inside its JSON.
const ADD_BLOB = sql('grants-fact-body')`
insert into ledger_blob (ct, tenant, boundary, entry, key, bytes) values (decode($3, 'hex'), $1, $2, $4, $5, $6)`;

const ADD_FACT = sql('grants-fact')`
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
values ($1, $2, $3, now(), $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const BLOB = sql('grants-blob')`
select ${SEALED_COLUMNS} from ledger_blob b join ledger_dek k on k.tenant = b.tenant and k.id = b.key
where b.tenant = $1 and b.ct = $2`;

const KEYS = sql('grants-keys')`
select id, month, wrapped from ledger_dek where tenant = $1 and id = any ($2::text[])`;

const EXTEND = sql('grants-retain')`
update ledger_dek set retain_until = $3::date
where tenant = $1 and subject = any ($2::text[]) and state = 'live' and retain_until < $3::date`;

export class StageStore {
  readonly stage: Stage;
  readonly #deps: StageDeps;
  readonly #vault: Vault;

  constructor(stage: Stage, deps: StageDeps) {
    this.stage = stage;
    this.#deps = deps;
    const origin = logOrigin(deps.instance, deps.tenant, stage);
    this.#vault = vaultOf(origin, deps);
  }

  get tenant(): string {
    return this.#deps.tenant;
  }

  get ids(): Ids {
    return this.#deps.ids;
  }

  /** Everything of `work` is committed, or nothing. */
  transaction<T>(work: (at: StageRun) => Promise<T>): Promise<T> {
    const { stage, tenant } = this;
    return this.#deps.session.transaction(async (run) => {
      await assumeRole(run, stage);
      return work({ run, stage, tenant, keys: new Map() });
    });
  }

  /**
   * Records a fact in this stage's own log; with `body`, sealed under the key of `about`. Returns the body's name. Parts of
   * the data that no entry can hold are sealed where there is no other body, which would hold them already.
   */
  async record(
    at: StageRun,
    fact: {
      readonly type: FactType;
      readonly actor: ActorRef;
      readonly subject: { readonly kind: string; readonly id: string; readonly ver: number };
      readonly data: Readonly<Record<string, JsonValue>>;
      readonly body?: { readonly about: string; readonly canonical: Uint8Array };
    },
  ): Promise<string | undefined> {
    const id = entryId(this.#deps.ids.next());
    const { type, actor, subject } = fact;
    const trace = `grants ${subject.kind} ${subject.id}`;
    checkFact(type, fact.data);
    const { data, long } = boundedFact({ type, actor, trace, data: fact.data });
    const hasLong = fact.body === undefined && Object.keys(long).length > 0;
    const body = hasLong ? { about: subject.id, canonical: canonicalBytes(long) } : fact.body;
    const sealed =
      body === undefined
        ? undefined
        : this.#vault.seal({
            key: await this.#key(at, this.stage, body.about),
            entry: id,
            body: body.canonical,
          });
    if (sealed !== undefined) {
      const { ct, key } = sealed.sealed;
      await at.run(ADD_BLOB, [at.tenant, this.stage, ct, id, key, Buffer.from(sealed.blob)]);
    }
    await at.run(ADD_FACT, [
      at.tenant,
      this.stage,
      id,
      type,
      subject.kind,
      subject.id,
      subject.ver,
      actor.kind,
      actor.id,
      trace,
      JSON.stringify(data),
      sealed === undefined ? null : JSON.stringify(sealed.sealed),
    ]);
    return sealed?.sealed.ct;
  }

  /** Seals for a contract: bytes that another stage opens. */
  async sealFor(
    at: StageRun,
    domain: 'award' | 'escalation',
    about: string,
    body: Uint8Array,
  ): Promise<SealedBytes> {
    const key = await this.#key(at, domain, about);
    const entry = entryId(this.#deps.ids.next());
    const { blob } = this.#contract(domain).seal({ key, entry, body });
    return { entry, key: key.id, blob };
  }

  /** Opens bytes of a contract, as the rows name them: `entry`, `key`, `bytes`. */
  async openFrom(
    at: StageRun,
    domain: 'award' | 'escalation',
    rows: readonly Row[],
  ): Promise<readonly Uint8Array[]> {
    const wanted = [...new Set(rows.map((row) => text(row['key'])))];
    const keys = new Map(
      (await at.run(KEYS, [at.tenant, wanted])).map((row) => [
        text(row['id']),
        { id: text(row['id']), month: text(row['month']), wrapped: bytes(row['wrapped']) },
      ]),
    );
    const vault = this.#contract(domain);
    return rows.map((row) => {
      const key = keys.get(text(row['key']));
      if (key === undefined) throw new Error(`no data key ${text(row['key'])}`);
      return vault.open({ blob: bytes(row['bytes']), entry: entryId(text(row['entry'])), key });
    });
  }

  /** A body of this stage's own log. */
  async openBody(at: StageRun, ct: string): Promise<Uint8Array> {
    const [row] = await at.run(BLOB, [at.tenant, Buffer.from(ct, 'hex')]);
    if (row === undefined) throw new Error(`no sealed body ${ct}`);
    return this.open(sealedOf(row));
  }

  open(payload: SealedPayload): Uint8Array {
    return this.#vault.open(payload);
  }

  /** Keeps everything about something at least until a day; never shortens. */
  async retain(
    at: StageRun,
    domains: readonly KeyDomain[],
    about: string,
    until: string,
  ): Promise<void> {
    const subjects = domains.map((domain) => `${domain}/${about}`);
    await at.run(EXTEND, [at.tenant, subjects, until]);
  }

  /** Makes the data keys of many things at once; each would otherwise cost two statements of its own. */
  async prepareKeys(at: StageRun, abouts: readonly string[]): Promise<void> {
    await this.#find(
      at,
      abouts.map((about) => `${this.stage}/${about}`),
    );
  }

  async #key(at: StageRun, domain: KeyDomain, about: string): Promise<WrappedKey> {
    const subject = `${domain}/${about}`;
    const key = at.keys.get(subject) ?? (await this.#find(at, [subject])).get(subject);
    if (key === undefined) throw new Error(`no data key for ${subject}`);
    return key;
  }

  async #find(at: StageRun, subjects: readonly string[]): Promise<Map<string, WrappedKey>> {
    const month = toRfc3339(this.#deps.now()).slice(0, 7);
    const where = { tenant: at.tenant, month };
    const keys = await dataKeys(at, where, subjects, () => this.#vault.newKey(month));
    for (const [subject, key] of keys) at.keys.set(subject, key);
    return keys;
  }

  // A contract has its own place in what a seal authenticates: bytes moved into a log would not open there.
  #contract(domain: 'award' | 'escalation'): Vault {
    const { instance, tenant } = this.#deps;
    return vaultOf(`${logOrigin(instance, tenant, 'ingestion')}#${domain}`, this.#deps);
  }
}

function vaultOf(origin: string, deps: StageDeps): Vault {
  return new KeyVault({ origin, tenantKey: deps.tenantKey, random: deps.random });
}
