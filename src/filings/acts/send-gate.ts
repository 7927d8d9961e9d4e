/** The gate before a first send, asked of the live registry and of our own record. */
import {
  addMs,
  decodeJson,
  type Exchange,
  type GateAnswer,
  isDatabaseAway,
  type Profile,
  type SendGate,
  textAt,
  type WriteGuard,
} from '../../core/index.ts';
import {
  classifyRegistry,
  type LanePortal,
  mayKeepBusy,
  pauseAskedBy,
  type RegistryAnswer,
} from '../../lanes/index.ts';
import { gateAtSend } from '../../entities/index.ts';
import { lastSentAt } from '../store/filings.ts';
import type { Session } from '../../postgres/index.ts';

interface SendGateDeps {
  readonly session: Pick<Session, 'run'>;
  readonly tenant: string;
  readonly portal: Pick<LanePortal, 'lookUp'>;
}

/** While the record cannot be read nothing may go out; the lease decides what becomes of the claim meanwhile. */
const RECORD_AGAIN_MS = 1_000;

export function sendGate(parts: SendGateDeps): SendGate {
  return {
    concerns: (profile) => profile.registry !== undefined || windowOf(profile) > 0,
    check: async ({ filing, profile, payload, now }, guard): Promise<GateAnswer> => {
      try {
        const sentAt =
          windowOf(profile) > 0 ? await lastSentAt(parts.session, parts.tenant, filing) : undefined;
        const found = await registryAnswer(parts.portal, profile, payload, guard);
        const exchange = found.exchange;
        const verdict = exchange && pauseAskedBy(exchange, profile, now);
        // Asked for by the registry, it is the same portal that wants to be left alone.
        const facts = { registry: found.answer, lastSentAt: sentAt };
        const answer: GateAnswer =
          verdict === undefined
            ? gateAtSend(filing, facts, profile, now)
            : { kind: 'pause', verdict };
        // A look-up that was lost is unclear, so the filing does not pass; nor may the next one before the slot has rested.
        return found.isLost && answer.kind !== 'pass' ? { ...answer, mayBeBusy: true } : answer;
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        return { kind: 'wait', until: addMs(now, RECORD_AGAIN_MS), code: error.code };
      }
    },
  };
}

function windowOf(profile: Profile): number {
  return profile.limits?.duplicateWindowMs ?? 0;
}

async function registryAnswer(
  portal: Pick<LanePortal, 'lookUp'>,
  profile: Profile,
  payload: Uint8Array,
  guard: WriteGuard,
): Promise<{
  readonly answer: RegistryAnswer | undefined;
  readonly isLost: boolean;
  readonly exchange?: Exchange;
}> {
  const { registry } = profile;
  if (registry === undefined) return { answer: undefined, isLost: false };
  const number = textAt(decodeJson(payload), registry.numberAt);
  // Intake refuses a payload without its number, so this one was not frozen by the gates of this version.
  if (number === undefined) return { answer: { kind: 'not_found' }, isLost: false };
  const exchange = await portal.lookUp(profile, number, guard);
  return {
    answer: classifyRegistry(exchange, profile, number),
    isLost: mayKeepBusy(exchange, profile),
    exchange,
  };
}
