/**
 * A house with one lane in memory: who may give it another profile, who approves that something is sent, and when an approval
 * ends, by the real rules of people and destinations; together with what no rule can see: which human saw which destination.
 */
import { may } from '../../src/access/may.ts';
import type { ActName } from '../../src/access/rights.ts';
import { ROLES } from '../../src/access/role.ts';
import { APPROVAL_DAYS, checkSecondPerson } from '../../src/core/approval.ts';
import { personId } from '../../src/core/ids.ts';
import type { Profile } from '../../src/core/profile.ts';
import { type Destination, destinationOf } from '../../src/lanes/rules/destination.ts';

export const MOVES = [
  'profile',
  'agree',
  'refuse',
  'import',
  'again',
  'approve',
  'send',
  'wait',
] as const;

/** Numbers point into whatever there is at that moment. */
export interface Move {
  readonly act: (typeof MOVES)[number];
  readonly as: number;
  readonly about: number;
  readonly profile: number;
}

/** A rule that is broken on purpose, to see that it would be noticed. */
export const PLANTED = [
  'persons are compared, not parties',
  'a claim asks for any approval',
  'an approval does not ask where the lane leads now',
  'an approval compares hosts',
  'who proposes again is not compared',
  'an approval never ends',
  'an approval is used again',
] as const;
export type Planted = (typeof PLANTED)[number] | undefined;

interface Someone {
  readonly id: string;
  readonly party: string;
  readonly human: number;
}

interface Proposal {
  readonly by: Someone;
  /** Which profile. */
  readonly profile: number;
}

interface ModelBatch {
  readonly by: Someone;
  proposal: Proposal | undefined;
  /** What lets its filing be claimed. */
  approval:
    | { readonly profile: number; readonly until: number; readonly saw: readonly number[] }
    | undefined;
  sent: number;
}

export interface Sent {
  readonly profile: number;
  readonly saw: readonly number[];
}

export type Outcome = 'nothing' | 'refused' | 'done';

/** Three humans; the first has a twin beside them, whom they vouched for alone. */
export const PEOPLE: readonly Someone[] = [
  { id: 'paula', party: 'paula', human: 0 },
  { id: 'arthur', party: 'arthur', human: 1 },
  { id: 'mallory', party: 'mallory', human: 2 },
  { id: 'paula too', party: 'paula', human: 0 },
];

/** How many days pass at once. */
const WAIT_DAYS = 11;

export class DestinationModel {
  readonly batches: ModelBatch[] = [];
  readonly sent: Sent[] = [];
  readonly #destinations: readonly Destination[];
  readonly #people: readonly Someone[];
  readonly #planted: Planted;
  #lane: number | undefined;
  #change: Proposal | undefined;
  #day = 0;

  constructor(profiles: readonly Profile[], people = PEOPLE, planted?: Planted) {
    this.#destinations = profiles.map(destinationOf);
    this.#people = people;
    this.#planted = planted;
  }

  /** Undefined where the house kept its promises. */
  get fault(): string | undefined {
    if (this.batches.some(({ sent }) => sent > 1)) return 'sent twice';
    const alone = this.sent.find(({ saw }) => new Set(saw).size < 2);
    return alone && `sent to profile ${alone.profile}, which ${alone.saw.length} humans saw`;
  }

  get lane(): number | undefined {
    return this.#lane;
  }

  profileOf({ profile }: Move): number {
    return profile % this.#destinations.length;
  }

  personOf({ as }: Move): number {
    return as % this.#people.length;
  }

  batchOf({ about }: Move): number {
    return about % Math.max(1, this.batches.length);
  }

  do(move: Move): Outcome {
    const by = this.#people[this.personOf(move)];
    if (by === undefined) return 'nothing';
    switch (move.act) {
      case 'profile':
        return this.#propose(by, this.profileOf(move));
      case 'agree':
        return this.#agree(by);
      case 'refuse':
        if (this.#change === undefined) return 'refused';
        this.#change = undefined;
        return 'done';
      case 'import':
        return this.#import(by);
      case 'again':
        return this.#again(by, this.batches[this.batchOf(move)]);
      case 'approve':
        return this.#approve(by, this.batches[this.batchOf(move)]);
      case 'send':
        return this.#send();
      case 'wait':
        this.#day += WAIT_DAYS;
        this.#expire();
        return 'done';
    }
  }

  #propose(by: Someone, profile: number): Outcome {
    if (!isAllowed(by, 'lane.add')) return 'refused';
    if (this.#lane === undefined) {
      this.#lead(profile);
      return 'done';
    }
    if (this.#isSame(profile, this.#lane)) return 'nothing';
    if (this.#change !== undefined) return 'refused';
    this.#change = { by, profile };
    return 'done';
  }

  #agree(by: Someone): Outcome {
    const change = this.#change;
    if (change === undefined || !this.#isSecond(by, [change.by])) return 'refused';
    if (!isAllowed(by, 'lane.decide')) return 'refused';
    this.#change = undefined;
    this.#lead(change.profile);
    return 'done';
  }

  /** Approvals for another profile are over, also if this one is replaced again. */
  #lead(profile: number): void {
    this.#lane = profile;
    if (this.#planted === 'a claim asks for any approval') return;
    for (const batch of this.batches) {
      const { approval } = batch;
      if (approval !== undefined && !this.#isSame(approval.profile, profile))
        batch.approval = undefined;
    }
  }

  #import(by: Someone): Outcome {
    if (this.#lane === undefined || !isAllowed(by, 'batch.import')) return 'refused';
    const proposal = { by, profile: this.#lane };
    this.batches.push({ by, proposal, approval: undefined, sent: 0 });
    return 'done';
  }

  #again(by: Someone, batch: ModelBatch | undefined): Outcome {
    if (batch === undefined || this.#lane === undefined) return 'nothing';
    const isUsed = batch.sent > 0 && this.#planted !== 'an approval is used again';
    if (isUsed || batch.approval !== undefined || !isAllowed(by, 'batch.propose')) return 'refused';
    batch.proposal = { by, profile: this.#lane };
    return 'done';
  }

  #approve(by: Someone, batch: ModelBatch | undefined): Outcome {
    const proposal = batch?.proposal;
    if (batch === undefined || proposal === undefined || this.#lane === undefined) return 'nothing';
    const first =
      this.#planted === 'who proposes again is not compared' ? [batch.by] : [batch.by, proposal.by];
    if (!isAllowed(by, 'batch.approve') || !this.#isSecond(by, first)) return 'refused';
    if (!this.#isSeen(proposal.profile, this.#lane)) return 'refused';
    batch.proposal = undefined;
    // Who proposed and who approved have seen where the lane led when it was proposed.
    const saw = [proposal.by.human, by.human];
    batch.approval = { profile: proposal.profile, until: this.#day + APPROVAL_DAYS, saw };
    return 'done';
  }

  #send(): Outcome {
    const lane = this.#lane;
    if (lane === undefined) return 'nothing';
    for (const batch of this.batches) {
      const { approval } = batch;
      if (approval === undefined) continue;
      const isNamed = this.#isSeen(approval.profile, lane);
      if (!isNamed && this.#planted !== 'a claim asks for any approval') continue;
      if (approval.until <= this.#day && this.#planted !== 'an approval never ends') continue;
      batch.sent += 1;
      if (this.#planted !== 'an approval is used again') batch.approval = undefined;
      // An approval that has ended is nobody's any more.
      const saw =
        this.#isSame(approval.profile, lane) && approval.until > this.#day ? approval.saw : [];
      this.sent.push({ profile: lane, saw });
    }
    return 'done';
  }

  #expire(): void {
    if (this.#planted === 'an approval never ends') return;
    for (const batch of this.batches) {
      if ((batch.approval?.until ?? Infinity) <= this.#day) batch.approval = undefined;
    }
  }

  #isSecond(by: Someone, first: readonly Someone[]): boolean {
    const party = ({ id, party: own }: Someone): [string, string] => [
      id,
      this.#planted === 'persons are compared, not parties' ? id : own,
    ];
    try {
      const ids = first.map(({ id }) => id);
      checkSecondPerson('it', by.id, ids, new Map([by, ...first].map(party)));
      return true;
    } catch {
      return false;
    }
  }

  /** As an approval compares. */
  #isSeen(one: number, other: number): boolean {
    if (this.#planted === 'an approval does not ask where the lane leads now') return true;
    if (this.#planted !== 'an approval compares hosts') return this.#isSame(one, other);
    return this.#destination(one).origin === this.#destination(other).origin;
  }

  #isSame(one: number, other: number): boolean {
    return this.#destination(one).profile_sha256 === this.#destination(other).profile_sha256;
  }

  #destination(profile: number): Destination {
    const found = this.#destinations[profile];
    if (found === undefined) throw new Error(`no profile ${profile}`);
    return found;
  }
}

function isAllowed({ id, party }: Someone, act: ActName): boolean {
  const [who, of] = [personId(id), personId(party)];
  return may({ kind: 'person', id: who, name: id, party: of, roles: ROLES }, act).allowed;
}
