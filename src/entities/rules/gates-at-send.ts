/**
 * What can only be known at the moment of sending: whether the registry still knows the entity, whether the duplicate
 * window is free, whether the doors are open. Pure: whoever sends brings the answers.
 */
import {
  addMs,
  type Envelope,
  type GateAnswer,
  type Instant,
  type Profile,
} from '../../core/index.ts';
import { isOpen, nextOpening, type RegistryAnswer } from '../../lanes/index.ts';

interface SendFacts {
  /** What the live registry said; undefined where the profile has no look-up. */
  readonly registry: RegistryAnswer | undefined;
  /** When another filing of the same kind for the same entity was last sent; undefined when none was. */
  readonly lastSentAt: Instant | undefined;
}

/** Asked again after an unclear answer of the registry: it is no reason to refuse, and none to send. */
const REGISTRY_AGAIN_MS = 60_000;

export function gateAtSend(
  filing: Pick<Envelope, 'lastSafe'>,
  facts: SendFacts,
  profile: Profile,
  now: Instant,
): GateAnswer {
  const waits: { readonly until: Instant; readonly code: string }[] = [];
  const { registry, lastSentAt } = facts;
  if (registry?.kind === 'not_found') return { kind: 'refuse', code: 'REGISTRY_NOT_FOUND' };
  if (registry?.kind === 'inactive') return { kind: 'refuse', code: 'REGISTRY_INACTIVE' };
  // Asked again, it would post the same password again.
  if (registry?.kind === 'unclear' && registry.code === 'LOGIN_REFUSED') {
    return { kind: 'halt', code: registry.code };
  }
  if (registry?.kind === 'unclear') {
    waits.push({ until: addMs(now, REGISTRY_AGAIN_MS), code: 'REGISTRY_UNCLEAR' });
  }
  const windowMs = profile.limits?.duplicateWindowMs ?? 0;
  if (lastSentAt !== undefined && windowMs > 0 && addMs(lastSentAt, windowMs) > now) {
    waits.push({ until: addMs(lastSentAt, windowMs), code: 'DUPLICATE_WINDOW' });
  }
  if (!isOpen(profile.hours, now)) {
    const until = nextOpening(profile.hours, now);
    if (until === undefined) return { kind: 'refuse', code: 'PORTAL_CLOSED' };
    waits.push({ until, code: 'PORTAL_HOURS' });
  }
  const longest = waits.reduce<(typeof waits)[number] | undefined>(
    (best, one) => (best === undefined || one.until > best.until ? one : best),
    undefined,
  );
  if (longest === undefined) return { kind: 'pass' };
  // Waiting past the last safe moment is the same as refusing, only later.
  if (longest.until >= filing.lastSafe) return { kind: 'refuse', code: longest.code };
  return { kind: 'wait', ...longest };
}
