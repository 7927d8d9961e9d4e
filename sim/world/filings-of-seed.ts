import { createHash } from 'node:crypto';
import { batchId, entryId, filingId, laneCode, personId, sha256Hex } from '../../src/core/ids.ts';
import { canonicalBytes } from '../../src/core/canonical-json.ts';
import type { Envelope } from '../../src/core/filing.ts';
import { instant } from '../../src/core/time.ts';
import { keyOf, obligationKey } from '../../src/core/identity.ts';
import type { FactType } from '../../src/core/facts/catalogue.ts';
import type { LedgerFact } from '../../src/core/ports.ts';
import { effectOfFilings, type Profile } from '../../src/core/profile.ts';
import type { KeyVault } from '../../src/ledger/vault.ts';
import type { MemoryDatabase } from '../../src/testing/memory/database.ts';
import type { SeededIds } from '../../src/testing/virtual-clock.ts';
import type { Draw } from './draw.ts';

/** A filing as the world knows it, before the product has seen it. */
export interface SimFiling {
  readonly id: string;
  readonly lane: string;
  readonly key: string;
  readonly effect: 'filing' | 'notice';
  readonly payload: Uint8Array;
  readonly payloadSha256: string;
  readonly notBefore: number;
  readonly lastSafe: number;
  readonly due: number;
}

const TENANT = 'acme';

/** Eight to forty filings, from comfortable to tight, all of them let in and approved at the start. */
export function admitFilings(options: {
  readonly draw: Draw;
  readonly profiles: readonly Profile[];
  readonly database: MemoryDatabase;
  readonly vault: KeyVault;
  readonly ids: SeededIds;
  readonly startMs: number;
}): readonly SimFiling[] {
  const { draw, profiles, database, vault, ids, startMs } = options;
  const batch = batchId(ids.next());
  const fact = (type: FactType, data: LedgerFact['data']): LedgerFact => {
    const id = entryId(ids.next());
    return { id, type, actor: { kind: 'user', id: 'clerk' }, trace: id, data };
  };
  database.openBatch({
    id: batch,
    source: 'simulation',
    preparedBy: personId(ids.next()),
    fact: fact('batch.opened', { source: 'simulation' }),
  });
  const month = new Date(startMs).toISOString().slice(0, 7);
  const filings: SimFiling[] = [];
  const count = draw.int(8, 40);
  for (let number = 0; number < count; number += 1) {
    const profile = draw.pick(profiles);
    const entityId = `E${number % 7}`;
    const obligation = {
      pack: 'entity',
      tenant: TENANT,
      jurisdiction: profile.jurisdiction,
      registryNumber: `R${number}`,
      filingKind: 'annual-report',
      period: '2026',
    } as const;
    const payload = canonicalBytes({ number, lane: profile.code, officer: `Officer ${number}` });
    const payloadSha256 = createHash('sha256').update(payload).digest('hex');
    const notBefore = startMs + (draw.chance(0.6) ? 0 : draw.int(0, 25_000));
    const lastSafe = notBefore + draw.pick([4_000, 12_000, 30_000, 50_000, 80_000]);
    const key = keyOf(obligation, 1);
    const envelope: Envelope = {
      id: filingId(ids.next()),
      batch,
      lane: laneCode(profile.code),
      jurisdiction: profile.jurisdiction,
      effect: effectOfFilings(profile.effect),
      entityId,
      filingKind: obligation.filingKind,
      period: obligation.period,
      revision: 1,
      key,
      payloadSha256: sha256Hex(payloadSha256),
      notBefore: instant(notBefore),
      due: instant(lastSafe + profile.expectedServiceMs + profile.personMs),
      lastSafe: instant(lastSafe),
    };
    const dataKeys = database.dataKeys([entityId], month, () => vault.newKey(month));
    const dataKey = dataKeys.get(entityId);
    if (dataKey === undefined) throw new Error('A data key is made on first use');
    const created = fact('filing.state', {
      from: null,
      to: 'pending',
      key,
      payload_sha256: payloadSha256,
    });
    const body = vault.seal({
      key: dataKey,
      entry: created.id,
      body: payload,
      owner: { filing: envelope.id, key },
    });
    database.admit([
      { envelope, obligation: obligationKey(obligation), fact: { ...created, body } },
    ]);
    const { id, lane, effect, due } = envelope;
    filings.push({ id, lane, key, effect, payload, payloadSha256, notBefore, lastSafe, due });
  }
  database.closeBatch(batch, fact('batch.closed', {}));
  database.release(batch, fact('approval.granted', {}));
  return filings;
}
