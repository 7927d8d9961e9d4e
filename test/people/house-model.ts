/**
 * A house of people in memory, by the real rules (may, vouching, partyOfNew, checkSecondPerson), together with what no rule can
 * see: which human holds which keys. Honest people give away no key and enroll only under one name; beyond that everybody
 * tries whatever they can.
 */
import type { PersonActor } from '../../src/access/actor.ts';
import { may } from '../../src/access/may.ts';
import { partyOfNew, vouching } from '../../src/access/party.ts';
import type { ActName } from '../../src/access/rights.ts';
import { type Role, ROLES } from '../../src/access/role.ts';
import { checkSecondPerson } from '../../src/core/approval.ts';
import { type PersonId, personId } from '../../src/core/ids.ts';

export const MOVES = [
  'add',
  'approve',
  'disable',
  'enable',
  'replace',
  'give',
  'take',
  'prepare',
  'send',
] as const;

/** Numbers point into whatever there is at that moment. */
export interface Move {
  readonly act: (typeof MOVES)[number];
  readonly human: number;
  readonly as: number;
  readonly about: number;
  readonly roles: number;
}

export interface ModelPerson {
  readonly id: PersonId;
  party: PersonId;
  roles: readonly Role[];
  isDisabled: boolean;
  /** The humans who know a key of theirs. */
  holders: ReadonlySet<number>;
}

interface ModelProposal {
  readonly kind: 'person' | 'role';
  readonly act: 'add' | 'enable' | 'replace' | 'give' | 'take';
  readonly person: PersonId;
  readonly roles: readonly Role[];
  readonly by: PersonId;
  isOpen: boolean;
}

interface ModelBatch {
  readonly by: PersonId;
  readonly human: number;
  isSent: boolean;
}

/** A rule that is broken on purpose, to see that it would be noticed. */
export type Planted =
  | 'persons are compared'
  | 'everybody is a party'
  | 'only one joins'
  | undefined;

/** What a move came to, with what the same move needs in a database. */
export type Outcome =
  | { readonly kind: 'nothing' | 'refused' | 'waiting' | 'done'; readonly person?: PersonId }
  | { readonly kind: 'issued'; readonly person: PersonId };

/** What one may ask for. */
export const ROLE_SETS: readonly (readonly Role[])[] = [
  ROLES,
  ['admin'],
  ['preparer', 'approver'],
  ['approver'],
  ['viewer'],
];

export class HouseModel {
  readonly people: ModelPerson[] = [];
  readonly proposals: ModelProposal[] = [];
  readonly batches: ModelBatch[] = [];
  /** Sent although one human did both. */
  readonly alone: ModelBatch[] = [];
  readonly #planted: Planted;
  #humans: number;

  constructor(founders: number, planted?: Planted) {
    this.#planted = planted;
    this.#humans = founders;
    for (let human = 0; human < founders; human += 1) {
      const id = this.nextId();
      const holders = new Set([human]);
      this.people.push({ id, party: id, roles: ROLES, isDisabled: false, holders });
    }
  }

  /** Of whoever comes next, so that a database can use the same. */
  nextId(): PersonId {
    return personId(`person ${this.people.length + this.proposals.length}`);
  }

  /** Who acts in a move; undefined where that human has no key that works. */
  actorOf({ human, as }: Move): ModelPerson | undefined {
    const mine = this.people.filter(
      ({ holders, isDisabled }) => holders.has(human % this.#humans) && !isDisabled,
    );
    return mine[as % Math.max(1, mine.length)];
  }

  subjectOf(move: Move): ModelPerson | undefined {
    return this.people[move.about % this.people.length];
  }

  rolesOf(move: Move): readonly Role[] {
    return ROLE_SETS[move.roles % ROLE_SETS.length] ?? ROLES;
  }

  openProposal(move: Move): ModelProposal | undefined {
    const open = this.proposals.filter(({ isOpen }) => isOpen);
    return open[move.about % Math.max(1, open.length)];
  }

  unsent(move: Move): ModelBatch | undefined {
    const open = this.batches.filter(({ isSent }) => !isSent);
    return open[move.about % Math.max(1, open.length)];
  }

  do(move: Move): Outcome {
    const actor = this.actorOf(move);
    const subject = this.subjectOf(move);
    if (actor === undefined || subject === undefined) return { kind: 'nothing' };
    switch (move.act) {
      case 'add':
        return this.#add(actor, move);
      case 'approve':
        return this.#approve(actor, move);
      case 'disable':
        return this.#disable(actor, subject);
      case 'enable':
      case 'replace':
        return this.#restore(actor, subject, move);
      case 'give':
      case 'take':
        return this.#change(actor, subject, move.act, this.rolesOf(move));
      case 'prepare':
        if (!this.#may(actor, 'batch.import')) return { kind: 'refused' };
        this.batches.push({ by: actor.id, human: move.human % this.#humans, isSent: false });
        return { kind: 'done' };
      case 'send':
        return this.#send(actor, move);
    }
  }

  #add(actor: ModelPerson, move: Move): Outcome {
    const roles = this.rolesOf(move);
    if (!this.#may(actor, 'user.add')) return { kind: 'refused' };
    const how = this.#vouch(actor, roles);
    if (how === 'refused') return { kind: 'refused' };
    const id = this.nextId();
    if (how === 'two_parties')
      return this.#propose({ kind: 'person', act: 'add', id, roles, actor });
    this.#join(id, [actor.party], roles, move.human % this.#humans);
    return { kind: 'issued', person: id };
  }

  #approve(actor: ModelPerson, move: Move): Outcome {
    const proposal = this.openProposal(move);
    if (proposal === undefined) return { kind: 'nothing' };
    const proposer = this.#person(proposal.by);
    const changes = proposal.kind === 'role' ? { changes: proposal.person } : {};
    const proposedBy = this.#planted === 'persons are compared' ? proposer.id : proposer.party;
    const about = { what: 'it', proposedBy, ...changes };
    if (!this.#may(actor, 'user.approve', about) || !this.#isSecond(actor, proposer)) {
      return { kind: 'refused' };
    }
    const { act, person: id, roles } = proposal;
    if (act === 'add') {
      proposal.isOpen = false;
      // Two who are not one have looked at somebody whom they do not know yet.
      const parties = [proposer.party, actor.party];
      this.#join(id, parties, roles, this.#sameHuman(proposer, actor) ?? this.#humans++);
      return { kind: 'issued', person: id };
    }
    const person = this.#person(id);
    if (act === 'enable' && !person.isDisabled) return { kind: 'refused' };
    if (act === 'take' && roles.includes('admin') && this.#isLastAdmin(person)) {
      return { kind: 'refused' };
    }
    proposal.isOpen = false;
    if (act === 'enable') person.isDisabled = false;
    if (act === 'replace' && person.isDisabled) person.holders = new Set();
    if (act === 'give') person.roles = [...new Set([...person.roles, ...roles])];
    if (act === 'take') person.roles = person.roles.filter((role) => !roles.includes(role));
    return act === 'replace' && !person.isDisabled
      ? { kind: 'issued', person: id }
      : { kind: 'done', person: id };
  }

  #disable(actor: ModelPerson, subject: ModelPerson): Outcome {
    const isOut = subject.isDisabled || this.#isLastAdmin(subject);
    if (!this.#may(actor, 'user.disable') || isOut) return { kind: 'refused' };
    subject.isDisabled = true;
    return { kind: 'done', person: subject.id };
  }

  #restore(actor: ModelPerson, subject: ModelPerson, move: Move): Outcome {
    const act = move.act === 'enable' ? 'enable' : 'replace';
    const name = act === 'enable' ? 'user.enable' : 'user.key.replace';
    const fits = act === 'enable' ? subject.isDisabled : !subject.isDisabled && subject !== actor;
    if (!this.#may(actor, name) || !fits) return { kind: 'refused' };
    const how = this.#vouch(actor, subject.roles);
    if (how === 'refused') return { kind: 'refused' };
    const { id } = subject;
    if (how === 'two_parties') return this.#propose({ kind: 'person', act, id, roles: [], actor });
    this.#countAsOne(subject, actor);
    subject.isDisabled = false;
    if (act === 'enable') return { kind: 'done', person: id };
    // Whoever made the key has it, and so has its owner, whom it was made for.
    subject.holders = new Set([...subject.holders, move.human % this.#humans]);
    return { kind: 'issued', person: id };
  }

  #change(
    actor: ModelPerson,
    subject: ModelPerson,
    act: 'give' | 'take',
    roles: readonly Role[],
  ): Outcome {
    const { id } = subject;
    const isOff = roles.some((role) => subject.roles.includes(role) === (act === 'give'));
    if (!this.#may(actor, 'user.role', { what: 'roles', changes: id }) || isOff) {
      return { kind: 'refused' };
    }
    const how = this.#vouch(actor, act === 'give' ? roles : []);
    if (how === 'refused') return { kind: 'refused' };
    if (how === 'two_parties') return this.#propose({ kind: 'role', act, id, roles, actor });
    if (act === 'take' && roles.includes('admin') && this.#isLastAdmin(subject)) {
      return { kind: 'refused' };
    }
    subject.roles =
      act === 'give'
        ? [...subject.roles, ...roles]
        : subject.roles.filter((role) => !roles.includes(role));
    return { kind: 'done', person: id };
  }

  #send(actor: ModelPerson, move: Move): Outcome {
    const batch = this.unsent(move);
    if (batch === undefined) return { kind: 'nothing' };
    const first = this.#person(batch.by);
    if (!this.#may(actor, 'batch.approve') || !this.#isSecond(actor, first)) {
      return { kind: 'refused' };
    }
    batch.isSent = true;
    if (batch.human === move.human % this.#humans) this.alone.push(batch);
    return { kind: 'done' };
  }

  #propose(asked: {
    readonly kind: 'person' | 'role';
    readonly act: ModelProposal['act'];
    readonly id: PersonId;
    readonly roles: readonly Role[];
    readonly actor: ModelPerson;
  }): Outcome {
    const { kind, act, id, roles, actor } = asked;
    const waits = this.proposals.some(
      (one) => one.isOpen && one.kind === kind && one.person === id,
    );
    if (waits) return { kind: 'refused' };
    this.proposals.push({ kind, act, person: id, roles, by: actor.id, isOpen: true });
    return { kind: 'waiting', person: id };
  }

  #join(id: PersonId, vouchers: PersonId[], roles: readonly Role[], human: number): void {
    const party = this.#planted === 'everybody is a party' ? id : partyOfNew(id, vouchers);
    this.people.push({ id, party, roles, isDisabled: false, holders: new Set([human]) });
  }

  #countAsOne(subject: ModelPerson, actor: ModelPerson): void {
    const { party } = subject;
    for (const one of this.people) {
      const isOnly = this.#planted === 'only one joins' && one !== subject;
      if (one.party === party && !isOnly) one.party = actor.party;
    }
  }

  #vouch(actor: ModelPerson, roles: readonly Role[]): 'alone' | 'two_parties' | 'refused' {
    const admins = this.people.filter((one) => !one.isDisabled && one.roles.includes('admin'));
    const parties = admins.map(({ party }) => party);
    return vouching(actor, parties, roles).kind;
  }

  #isSecond(actor: ModelPerson, first: ModelPerson): boolean {
    const by = (one: ModelPerson): [string, string] => [
      one.id,
      this.#planted === 'persons are compared' ? one.id : one.party,
    ];
    try {
      checkSecondPerson('it', actor.id, [first.id], new Map([by(actor), by(first)]));
      return true;
    } catch {
      return false;
    }
  }

  /** The human who vouched twice, if the rules let that happen: then whoever comes is that human again. */
  #sameHuman(one: ModelPerson, other: ModelPerson): number | undefined {
    return [...one.holders].find((human) => other.holders.has(human));
  }

  #isLastAdmin(person: ModelPerson): boolean {
    const admins = this.people.filter((one) => !one.isDisabled && one.roles.includes('admin'));
    return admins.length === 1 && admins[0] === person;
  }

  #may(actor: ModelPerson, act: ActName, subject?: Parameters<typeof may>[2]): boolean {
    const { id, party, roles } = actor;
    const person: PersonActor = { kind: 'person', id, name: id, party, roles };
    return may(person, act, subject).allowed;
  }

  #person(id: PersonId): ModelPerson {
    const found = this.people.find((one) => one.id === id);
    if (found === undefined) throw new Error(`nobody is ${id}`);
    return found;
  }
}
