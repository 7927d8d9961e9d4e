import type { Profile } from '../../core/index.ts';
import type { Behaviour } from './behaviour.ts';
import type { Dice } from './dice.ts';
import { type Endpoint, FAULT_KINDS, type FaultKind, FAULTS } from './faults.ts';
import { isSurvivable } from './survivable.ts';

/** What identifies a request for the fault plan. */
export interface Occasion {
  readonly endpoint: Endpoint;
  /** The portal's number of the request, from 1. */
  readonly request: number;
  readonly key: string;
  /** The how-manieth time this key reaches this endpoint, from 1. */
  readonly nth: number;
}

interface Share {
  readonly kind: FaultKind;
  /** The fault is met when the die falls below this and not below the one before. */
  readonly upTo: number;
}

/** Chooses the fault of each request: by the schedule, otherwise by one throw of the dice. */
export class FaultPlan {
  private readonly byRequest = new Map<number, FaultKind>();
  private readonly byKey = new Map<string, { fault: FaultKind; nth: number | undefined }[]>();
  private readonly shares: Readonly<Record<Endpoint, readonly Share[]>>;

  /** A mix has only what a careful client can survive, and that hangs on what the profile says. */
  constructor(behaviour: Behaviour, profile: Pick<Profile, 'throttle' | 'receipt' | 'status'>) {
    const mixes = (kind: FaultKind): boolean => isSurvivable(kind, profile);
    for (const entry of behaviour.schedule) {
      if ('request' in entry) {
        this.byRequest.set(entry.request, entry.fault);
      } else {
        const rules = this.byKey.get(entry.key) ?? [];
        rules.push({ fault: entry.fault, nth: entry.nth });
        this.byKey.set(entry.key, rules);
      }
    }
    this.shares = {
      submit: sharesOf('submit', behaviour, mixes),
      status: sharesOf('status', behaviour, mixes),
      health: sharesOf('health', behaviour, mixes),
      other: [],
    };
  }

  choose(occasion: Occasion, dice: Dice): FaultKind | undefined {
    // Thrown even when the schedule decides: a schedule must not shift what the other throws of this request give.
    const die = dice.next();
    const planned = this.scheduled(occasion);
    if (planned !== undefined) return planned;
    for (const share of this.shares[occasion.endpoint]) if (die < share.upTo) return share.kind;
    return undefined;
  }

  private scheduled(occasion: Occasion): FaultKind | undefined {
    const atRequest = this.byRequest.get(occasion.request);
    if (atRequest !== undefined && FAULTS[atRequest].on === occasion.endpoint) return atRequest;
    return this.byKey
      .get(occasion.key)
      ?.find(
        (rule) =>
          FAULTS[rule.fault].on === occasion.endpoint &&
          (rule.nth === undefined || rule.nth === occasion.nth),
      )?.fault;
  }
}

function sharesOf(
  endpoint: Endpoint,
  behaviour: Behaviour,
  mixes: (kind: FaultKind) => boolean,
): readonly Share[] {
  const kinds = FAULT_KINDS.filter((kind) => FAULTS[kind].on === endpoint);
  const mixed = kinds.filter(mixes);
  let upTo = 0;
  const shares: Share[] = [];
  for (const kind of kinds) {
    const mix = mixes(kind) ? behaviour.mixRate / mixed.length : 0;
    const share = (behaviour.faults[kind] ?? 0) + mix;
    if (share === 0) continue;
    upTo += share;
    shares.push({ kind, upTo });
  }
  return shares;
}
