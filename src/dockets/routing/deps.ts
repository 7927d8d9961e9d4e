import type { Clock, Ids, Log, Random, Vault } from '../../core/index.ts';
import type { PatentLaw } from '../rules/matter.ts';
import type { RoutingPolicy } from '../rules/routing/policy.ts';
import type { Session } from '../../postgres/index.ts';

/** What every act of routing needs; one tenant, because only its own payloads open with its vault. */
export interface RoutingDeps {
  readonly session: Session;
  readonly tenant: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly vault: Vault;
  readonly log: Log;
  /** Asked for each decision, so that a changed calendar counts from the next one on. */
  readonly law: () => PatentLaw;
  /** Changes what the matrix states: a rehearsal runs the same rules in less time. */
  readonly policy?: (stated: RoutingPolicy) => RoutingPolicy;
}

/** Who acts, for the ledger: a person of the command line, or this program. */
export interface Actor {
  readonly kind: 'user' | 'service' | 'system';
  readonly id: string;
}

export const ROUTER: Actor = { kind: 'service', id: 'router' };
