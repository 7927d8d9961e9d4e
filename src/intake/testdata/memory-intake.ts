/** A store, a vault and a pack for the tests of this room. The store follows the contract of the port. */
import type {
  Admission,
  Clock,
  Ids,
  IntakeStore,
  LedgerFact,
  NewFiling,
  RowReader,
  Vault,
  WrappedKey,
} from '../../core/ports.ts';
import { canonicalBytes } from '../../core/canonical-json.ts';
import { entryId, laneCode, personId } from '../../core/ids.ts';
import { FilewrightError } from '../../core/errors.ts';
import { instant } from '../../core/time.ts';
import { keyOf, obligationKey } from '../../core/identity.ts';
import { sha256Of } from '../../core/sha256.ts';
import { chunksOf } from '../../core/testdata/chunks.ts';
import type { ImportOptions } from '../import.ts';

export class MemoryIntake implements IntakeStore {
  readonly filings = new Map<string, NewFiling>();
  readonly facts: LedgerFact[] = [];
  readonly calls: string[] = [];
  readonly closed = new Set<string>();
  readonly keys = new Map<string, WrappedKey>();
  /** Fails this many calls of `admit` from now, before it writes. */
  failAfterAdmits = Number.POSITIVE_INFINITY;

  async openBatch(input: Parameters<IntakeStore['openBatch']>[0]): Promise<void> {
    this.calls.push('open');
    this.facts.push(input.fact);
  }

  async admit(filings: readonly NewFiling[]): Promise<readonly Admission[]> {
    if (new Set(filings.map((filing) => filing.obligation)).size !== filings.length) {
      throw new Error('An obligation is in one call twice.');
    }
    if (new Set(filings.map((filing) => filing.envelope.key)).size !== filings.length) {
      throw new Error('A key is in one call twice.');
    }
    this.calls.push(`admit ${filings.length}`);
    this.failAfterAdmits -= 1;
    if (this.failAfterAdmits < 0) throw new FilewrightError('DATABASE_UNREACHABLE', 'Gone.');
    return filings.map((filing) => {
      const answer = this.look(filing.obligation, filing.envelope.payloadSha256);
      if (answer.kind === 'created') {
        this.filings.set(filing.obligation, filing);
        this.facts.push(filing.fact);
      }
      return answer;
    });
  }

  async preview(filings: Parameters<IntakeStore['preview']>[0]): Promise<readonly Admission[]> {
    this.calls.push(`preview ${filings.length}`);
    return filings.map((filing) => this.look(filing.obligation, filing.payloadSha256));
  }

  async closeBatch(
    batch: Parameters<IntakeStore['closeBatch']>[0],
    fact: LedgerFact,
  ): ReturnType<IntakeStore['closeBatch']> {
    this.calls.push('close');
    this.closed.add(batch);
    this.facts.push(fact);
    const own = [...this.filings.values()].filter((filing) => filing.envelope.batch === batch);
    const hashes = own.map((filing) => filing.envelope.payloadSha256).sort();
    return { count: own.length, sha256: sha256Of(hashes.join('\n')) };
  }

  async dataKeys(
    subjects: readonly string[],
    month: string,
    make: () => WrappedKey,
  ): Promise<ReadonlyMap<string, WrappedKey>> {
    for (const subject of subjects) {
      const name = `${subject} ${month}`;
      if (!this.keys.has(name)) this.keys.set(name, make());
    }
    return new Map(
      subjects.map((subject) => [subject, this.keys.get(`${subject} ${month}`) ?? make()]),
    );
  }

  private look(obligation: string, payloadSha256: string): Admission {
    const filing = this.filings.get(obligation);
    if (filing === undefined) return { kind: 'created' };
    const { id } = filing.envelope;
    if (filing.envelope.payloadSha256 === payloadSha256) {
      const { notBefore, due, batch } = filing.envelope;
      const open = this.closed.has(batch) ? {} : { openIn: batch };
      return { kind: 'unchanged', filing: id, dates: { notBefore, due }, ...open };
    }
    const { body } = filing.fact;
    if (body === undefined) throw new Error('A creation fact has no body.');
    const key = { id: body.sealed.key, month: '', wrapped: new Uint8Array() };
    return {
      kind: 'conflict',
      filing: id,
      existing: { blob: body.blob, entry: filing.fact.id, key },
    };
  }
}

/** Seals nothing: the blob is the body behind the id of its entry. */
export class OpenVault implements Vault {
  private made = 0;

  newKey(month: string): WrappedKey {
    this.made += 1;
    return { id: `key-${this.made}`, month, wrapped: new Uint8Array(0) };
  }

  seal(input: Parameters<Vault['seal']>[0]): ReturnType<Vault['seal']> {
    const blob = Buffer.concat([Buffer.from(input.entry), input.body]);
    return { blob, sealed: { alg: 'A256GCM', key: input.key.id, ct: '', cm: '' } };
  }

  open(payload: Parameters<Vault['open']>[0]): Uint8Array {
    const entry = Buffer.from(payload.entry);
    if (!Buffer.from(payload.blob).subarray(0, entry.length).equals(entry)) {
      throw new FilewrightError('SEAL_BROKEN', 'Another entry.');
    }
    return payload.blob.subarray(entry.length);
  }

  forget(): void {
    // Nothing is kept here that could be destroyed.
  }

  dataKey(): Uint8Array {
    return new Uint8Array(0);
  }
}

export const NOW = instant(Date.UTC(2027, 10, 15));

export const clock: Clock = {
  now: () => NOW,
  monotonicMs: () => 0,
  sleep: async () => {},
};

export function countingIds(): Ids {
  let next = 0;
  return {
    next: () => {
      next += 1;
      return entryId(`00000000-0000-7000-8000-${String(next).padStart(12, '0')}`);
    },
  };
}

const NEEDED = [
  'jurisdiction',
  'registry_number',
  'entity_name',
  'filing_kind',
  'period',
  'due',
] as const;

/** A pack with the columns of the entity pack and hardly any of its rules. */
export const plainReader: RowReader = {
  columns: NEEDED.map((name) => ({ name, needed: true, meaning: name })),
  read: (row) => {
    const errors = NEEDED.filter((name) => typeof row[name] !== 'string' || row[name] === '').map(
      (where) => ({ where, why: 'is no text' }),
    );
    if (row.jurisdiction !== 'US-DE') errors.push({ where: 'jurisdiction', why: 'has no lane' });
    if (errors.length > 0) return { ok: false, errors };
    const text = (name: (typeof NEEDED)[number]): string => {
      const value = row[name];
      return typeof value === 'string' ? value : '';
    };
    const fields = Object.entries(row).filter(([name]) => !NEEDED.some((known) => known === name));
    const named = NEEDED.slice(0, 5).map((name) => [name, text(name)] as const);
    const payload = canonicalBytes({
      ...Object.fromEntries(named),
      fields: Object.fromEntries(fields),
    });
    const obligation = {
      pack: 'entity',
      tenant: 'acme',
      jurisdiction: text('jurisdiction'),
      registryNumber: text('registry_number'),
      filingKind: text('filing_kind'),
      period: text('period'),
    } as const;
    const due = instant(Date.parse(text('due')));
    return {
      ok: true,
      draft: {
        lane: laneCode('US-DE'),
        jurisdiction: text('jurisdiction'),
        effect: 'filing',
        entityId: `US-DE:${text('registry_number')}`,
        filingKind: text('filing_kind'),
        period: text('period'),
        revision: 1,
        key: keyOf(obligation, 1),
        obligation: obligationKey(obligation),
        payload,
        payloadSha256: sha256Of(payload),
        notBefore: instant(0),
        due,
        lastSafe: due,
      },
    };
  },
};

/** Everything an import of that text needs. */
export function importOptions(text: string | Uint8Array, store: IntakeStore): ImportOptions {
  return {
    reader: plainReader,
    source: chunksOf(text),
    format: { kind: 'csv' },
    store,
    vault: new OpenVault(),
    clock,
    ids: countingIds(),
    person: personId('00000000-0000-7000-8000-00000000aaaa'),
    batchName: 'entities.csv',
  };
}
