import {
  effectOfFilings,
  batchId,
  type Envelope,
  type FactType,
  filingId,
  idempotencyKey,
  type Ids,
  instant,
  type Instant,
  invariant,
  laneCode,
  type LaneState,
  type LedgerFact,
  newFact,
  personId,
  type Profile,
  toRfc3339,
} from '../../core/index.ts';
import type { MemoryDatabase } from '../memory/database.ts';
import { openVault, PAYLOAD, PAYLOAD_SHA256 } from './stage.ts';

export interface RehearsedFiling {
  readonly id: string;
  readonly readyAt: Instant;
  readonly lastSafe: Instant;
}

/** Brings the lane as it stands and everything owed on it into the memory store, approved. */
export function admit(
  database: MemoryDatabase,
  ids: Ids,
  input: {
    readonly profile: Profile;
    readonly state: LaneState;
    readonly filings: readonly RehearsedFiling[];
    readonly startAt: Instant;
  },
): void {
  const { profile, state, startAt, filings } = input;
  const lane = laneCode(profile.code);
  database.addLane({
    code: lane,
    ceiling: state.ceiling,
    longestServiceMs: profile.longestServiceMs,
  });
  const fresh = database.lanes()[0]?.state;
  invariant(fresh !== undefined, 'The lane was added');
  // A hold is supposed to end now, as the forecast supposes; the rest of its state stands.
  const isHeld = state.pause.kind === 'held' && state.pause.reason !== 'breaker';
  const begins: LaneState = {
    ...state,
    code: lane,
    version: fresh.version,
    ...(isHeld ? { pause: { kind: 'none' }, resumedAt: startAt } : {}),
  };
  database.changeLane(fresh, begins, []);
  const fact = (type: FactType): LedgerFact =>
    newFact(ids, type, { kind: 'system', id: 'rehearsal' }, {});
  const batch = batchId(ids.next());
  const preparedBy = personId(ids.next());
  database.openBatch({ id: batch, source: 'rehearsal', preparedBy, fact: fact('batch.opened') });
  const month = toRfc3339(startAt).slice(0, 7);
  const key = database
    .dataKeys(['rehearsal'], month, () => openVault.newKey(month))
    .get('rehearsal');
  invariant(key !== undefined, 'A data key is made on first use');
  for (const filing of filings) {
    const envelope: Envelope = {
      id: filingId(filing.id),
      batch,
      lane,
      jurisdiction: profile.jurisdiction,
      effect: effectOfFilings(profile.effect),
      entityId: 'rehearsal',
      filingKind: 'rehearsal',
      period: 'rehearsal',
      revision: 1,
      key: idempotencyKey(filing.id),
      payloadSha256: PAYLOAD_SHA256,
      notBefore: filing.readyAt,
      due: instant(filing.lastSafe + profile.expectedServiceMs + profile.personMs),
      lastSafe: filing.lastSafe,
    };
    const created = fact('filing.state');
    const body = openVault.seal({
      key,
      entry: created.id,
      body: PAYLOAD,
      owner: { filing: envelope.id, key: envelope.key },
    });
    database.admit([{ envelope, obligation: filing.id, fact: { ...created, body } }]);
  }
  database.closeBatch(batch, fact('batch.closed'));
  database.release(batch);
}
