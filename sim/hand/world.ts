/**
 * People who file by hand, on a virtual clock: slow, forgetful, mistyping, filing twice when they may, going home with a filing. The
 * rules are the real ones (`decideHand`, `handState`, `lossOf`, `receiptSpelling`); what the database keeps is a row for each filing and
 * one for each receipt in all its spellings. The truth is the office's own list, which no rule ever sees but through somebody's eyes.
 */
import { addMs, instant, type Instant, receiptSpelling } from '../../src/core/index.ts';
import * as rules from '../../src/filings/rules/hand.ts';

export interface HandRules extends Pick<typeof rules, 'decideHand' | 'handState' | 'lossOf'> {
  readonly receiptSpelling: (receipt: string) => string;
  /** Whether a number is free that stands for another filing now; what two people corrected since is a slip, and free. */
  readonly isFree: (owner: { readonly receipt: string | undefined }, number: string) => boolean;
}

export const REAL: HandRules = {
  decideHand: rules.decideHand,
  handState: rules.handState,
  lossOf: rules.lossOf,
  receiptSpelling,
  isFree: ({ receipt }, number) =>
    receipt === undefined || receiptSpelling(receipt) !== receiptSpelling(number),
};

const MIN = 60_000;
const TAKE_MS = 45 * MIN;
/** From the last moment at which somebody may press the button until the office shows what came of it. */
const VISIBLE_MS = 60 * MIN;
const BEGIN = instant(Date.UTC(2027, 1, 1));
const STEPS = 160;

interface Submitted {
  readonly number: string;
  readonly shownFrom: Instant;
}

interface Row {
  facts: rules.HandFacts;
  receipt: string | undefined;
  readonly due: Instant;
  warned: boolean;
}

/** What a person believes they have, as the sheet told them. */
interface Belief {
  until: Instant;
  filed: string | undefined;
  home: boolean;
}

export interface HandRun {
  readonly violations: readonly string[];
  readonly accepted: number;
  readonly lost: number;
}

export function runHand(seed: number, hand: HandRules = REAL): HandRun {
  return new House(seed, hand).run();
}

class House {
  readonly #hand: HandRules;
  readonly #dice: () => number;
  readonly #rows: Row[];
  readonly #office: Submitted[][];
  readonly #receipts = new Map<string, number>();
  readonly #people: Map<number, Belief>[];
  readonly #violations = new Set<string>();
  #now: Instant = BEGIN;
  #lost = 0;

  constructor(seed: number, hand: HandRules) {
    this.#hand = hand;
    this.#dice = diceOf(seed);
    const count = 1 + Math.floor(this.#dice() * 5);
    const people = 2 + Math.floor(this.#dice() * 3);
    this.#rows = Array.from({ length: count }, () => ({
      facts: freshFacts(this.#now),
      receipt: undefined,
      due: addMs(BEGIN, (4 + this.#dice() * 72) * 60 * MIN),
      warned: false,
    }));
    this.#office = this.#rows.map(() => []);
    this.#people = Array.from({ length: people }, () => new Map<number, Belief>());
  }

  run(): HandRun {
    for (let step = 0; step < STEPS; step += 1) {
      this.#now = addMs(this.#now, Math.floor(this.#dice() * 25 * MIN));
      for (const row of this.#rows) row.facts = { ...row.facts, now: this.#now };
      const who = this.#pick(this.#people.length);
      const filing = this.#pick(this.#rows.length);
      this.#act(who, filing);
      if (this.#dice() < 0.2) this.#watch();
      this.#judge();
    }
    this.#finish();
    const accepted = this.#rows.filter(({ facts }) => facts.status === 'accepted').length;
    return { violations: [...this.#violations], accepted, lost: this.#lost };
  }

  #act(who: number, filing: number): void {
    const mine = this.#people[who]?.get(filing);
    const dice = this.#dice();
    if (mine !== undefined && !mine.home) {
      // Gone home, with a filing that may be at the office already.
      if (dice < 0.1) mine.home = true;
      else if (dice < 0.2) this.#renew(who, filing, mine);
      // The one promise of a person: nothing is sent after the time that the sheet shows. Filed already or not, as forgetful as they are.
      else if (
        dice < 0.6 &&
        mine.until > this.#now &&
        (mine.filed === undefined || this.#dice() < 0.05)
      )
        this.#press(filing, mine);
      else if (dice < 0.9) this.#tell(who, filing, mine);
      return;
    }
    // At home nobody says anything of what they took.
    if (mine?.home === true && mine.until > this.#now) return;
    const state = this.#state(filing);
    if (state.kind === 'look' && dice < 0.5) this.#look(who, filing);
    else if (dice < 0.8) this.#take(who, filing);
    // Meddling with what another person has. Who says what is at the office has looked there: that much is asked of people.
    else if (state.kind !== 'look') this.#say(who, filing, this.#pickOf(this.#meddling()));
    else this.#say(who, filing, { kind: 'not_filed' });
  }

  #meddling(): readonly rules.HandWord[] {
    return [
      { kind: 'not_filed' },
      { kind: 'unsure' },
      { kind: 'absent', lookedAt: this.#now },
      { kind: 'filed', receipt: 'R-guessed' },
    ];
  }

  #take(who: number, filing: number): void {
    const decision = this.#decide(who, filing, { kind: 'take', takeMs: TAKE_MS });
    if (decision?.kind !== 'take') return;
    const row = this.#row(filing);
    const { attempt: no, until } = decision;
    row.facts = {
      ...row.facts,
      status: 'submitted',
      attempt: no,
      nextAt: undefined,
      taking: {
        no,
        party: `p${who}`,
        name: `p${who}`,
        takenAt: this.#now,
        expiresAt: until,
        endedAt: undefined,
        ended: undefined,
      },
    };
    for (const [other, beliefs] of this.#people.entries()) {
      const theirs = beliefs.get(filing);
      if (other !== who && theirs !== undefined && theirs.until > this.#now && !theirs.home)
        this.#violate('two_people');
    }
    this.#people[who]?.set(filing, { until, filed: undefined, home: false });
  }

  #renew(who: number, filing: number, mine: Belief): void {
    const decision = this.#decide(who, filing, { kind: 'renew', takeMs: TAKE_MS });
    if (decision?.kind !== 'renew') return;
    const row = this.#row(filing);
    if (row.facts.taking !== undefined) {
      row.facts = { ...row.facts, taking: { ...row.facts.taking, expiresAt: decision.until } };
    }
    mine.until = decision.until;
  }

  /** The office takes whatever comes, and shows it some time later. */
  #press(filing: number, mine: Belief): void {
    const number = `R-${filing}-${this.#office[filing]?.length ?? 0}`;
    const shownFrom = addMs(this.#now, Math.floor(this.#dice() * VISIBLE_MS));
    // Twice by the same person while it is theirs is their own hand: the office knows the entity and refuses.
    if (mine.filed !== undefined) return;
    this.#office[filing]?.push({ number, shownFrom });
    mine.filed = number;
  }

  #tell(who: number, filing: number, mine: Belief): void {
    const dice = this.#dice();
    const typed = mine.filed === undefined ? undefined : this.#typed(mine.filed);
    // Forgetful: half of those who do not know any more say so, once their time is over also what they only believe.
    const isOver = mine.until <= this.#now;
    const word: rules.HandWord =
      mine.filed !== undefined && typed !== undefined && dice < 0.7
        ? { kind: 'filed', receipt: typed }
        : mine.filed === undefined && !isOver && dice < 0.7
          ? { kind: 'not_filed' }
          : isOver && dice < 0.85
            ? { kind: 'not_filed' }
            : { kind: 'unsure' };
    if (this.#say(who, filing, word)) this.#people[who]?.delete(filing);
  }

  /** Mistyping: the number of a neighbor on the desk, or the right one as a hand or a scan spells it. */
  #typed(number: string): string {
    const dice = this.#dice();
    if (dice < 0.2) return `R-${this.#pick(this.#rows.length)}-0`;
    if (dice < 0.35) return number.toLowerCase();
    if (dice < 0.5) return number.replaceAll('0', 'O').replace('R-', 'R');
    return number;
  }

  #look(who: number, filing: number, isCareful = false): void {
    const shown = this.#office[filing]?.find(({ shownFrom }) => shownFrom <= this.#now);
    if (shown !== undefined) {
      const receipt = isCareful ? shown.number : this.#typed(shown.number);
      this.#say(who, filing, { kind: 'filed', receipt });
    } else this.#say(who, filing, { kind: 'absent', lookedAt: this.#now });
  }

  /** As the acts do it: the receipt has its key, and nothing is kept of what is refused. */
  #say(who: number, filing: number, word: rules.HandWord): boolean {
    const decision = this.#decide(who, filing, { kind: 'say', word });
    if (decision?.kind !== 'say') return false;
    const row = this.#row(filing);
    if (word.kind === 'filed') {
      // The confirmation is attached: who holds none sees that there is nothing to attach.
      if ((this.#office[filing]?.length ?? 0) === 0) return false;
      const spelling = this.#hand.receiptSpelling(word.receipt);
      const owner = this.#receipts.get(spelling) ?? filing;
      if (owner !== filing && !this.#hand.isFree(this.#row(owner), word.receipt)) {
        // Whoever is refused holds the paper of the office: if the number stands on it, the other one is a slip, and two correct it.
        if (this.#isTrue(filing, word.receipt)) this.#correct(owner);
        return false;
      }
      this.#receipts.set(spelling, filing);
      row.receipt = word.receipt;
    }
    if (decision.lost !== undefined) this.#lost += 1;
    this.#move(row, decision.outcome, decision.ends);
    return true;
  }

  /** Whether it stands on a paper of the office for this filing, however it is spelled. */
  #isTrue(filing: number, receipt: string): boolean {
    const spelling = receiptSpelling(receipt);
    return (
      this.#office[filing]?.some(({ number }) => receiptSpelling(number) === spelling) ?? false
    );
  }

  /**
   * One person says what is right, another approves it; both look at the paper. Where the right number is another filing's by a slip,
   * that one is corrected first; this one has a number of nobody meanwhile, because the two may have each other's.
   */
  #correct(filing: number): void {
    const [right] = this.#office[filing] ?? [];
    const row = this.#row(filing);
    if (right === undefined || row.facts.status !== 'accepted') return;
    const spelling = this.#hand.receiptSpelling(right.number);
    const owner = this.#receipts.get(spelling) ?? filing;
    if (owner !== filing && !this.#hand.isFree(this.#row(owner), right.number)) {
      row.receipt = `NOBODYS-${filing}`;
      this.#correct(owner);
    }
    row.receipt = right.number;
    this.#receipts.set(spelling, filing);
  }

  #move(row: Row, { attempt, to }: rules.HandOutcome, ends: rules.TakingEnd | undefined): void {
    const { facts } = row;
    const taking =
      facts.taking && ends !== undefined
        ? { ...facts.taking, endedAt: this.#now, ended: ends }
        : facts.taking;
    const step = to === 'pending' ? 'send' : to === 'submitted' ? 'ask' : undefined;
    const nextAt = step === undefined ? undefined : this.#now;
    row.facts = { ...facts, status: to, attempt, step, nextAt, taking };
  }

  /** The job: what is lost is put on record, and people hear of it. */
  #watch(): void {
    for (const row of this.#rows) {
      const lost = this.#hand.lossOf(row.facts);
      if (lost === undefined) continue;
      this.#lost += 1;
      this.#move(row, lost, 'lost');
      row.warned = true;
    }
  }

  #judge(): void {
    const used = new Set<string>();
    for (const { facts, receipt } of this.#rows) {
      if (facts.status !== 'accepted' || receipt === undefined) continue;
      const spelling = receiptSpelling(receipt);
      if (used.has(spelling)) this.#violate('one_receipt_one_filing');
      used.add(spelling);
    }
    for (const [filing, { facts, due }] of this.#rows.entries()) {
      if ((this.#office[filing]?.length ?? 0) > 1) this.#violate('accepted_once');
      if (facts.status === 'accepted' && (this.#office[filing]?.length ?? 0) === 0)
        this.#violate('accepted_without_truth');
      const state = this.#state(filing);
      const isSeen = ['free', 'taken', 'look', 'ended'].includes(state.kind);
      if (!isSeen) this.#violate('no_loss');
      // Nobody works on it and nobody is told to: what is over must not look as if it were in good hands.
      const isOver =
        facts.taking?.endedAt === undefined && (facts.taking?.expiresAt ?? this.#now) < this.#now;
      if (isOver && state.kind !== 'look' && this.#now > addMs(due, -60 * MIN))
        this.#violate('late_in_silence');
    }
  }

  /** Everybody leaves, and one careful person comes: every filing must come to its recorded end. */
  #finish(): void {
    this.#now = addMs(this.#now, 24 * 60 * MIN);
    for (const row of this.#rows) row.facts = { ...row.facts, now: this.#now };
    this.#people.push(new Map());
    const who = this.#people.length - 1;
    for (let round = 0; round < 4; round += 1) {
      for (const filing of this.#rows.keys()) {
        if (this.#state(filing).kind === 'look') this.#look(who, filing, true);
        if (this.#state(filing).kind === 'free') this.#fileAtOnce(who, filing);
      }
      this.#now = addMs(this.#now, 2 * VISIBLE_MS);
      for (const row of this.#rows) row.facts = { ...row.facts, now: this.#now };
    }
    // A yearly look at the papers: a slip that nobody met is corrected, and then every number is its own.
    for (const [filing, { facts, receipt }] of this.#rows.entries()) {
      if (facts.status === 'accepted' && !this.#isTrue(filing, receipt ?? ''))
        this.#correct(filing);
    }
    this.#judge();
    for (const [filing, { facts }] of this.#rows.entries()) {
      if (facts.status !== 'accepted') this.#violate('no_loss');
      if ((this.#office[filing]?.length ?? 0) !== 1) this.#violate('accepted_once');
    }
  }

  #fileAtOnce(who: number, filing: number): void {
    this.#take(who, filing);
    const mine = this.#people[who]?.get(filing);
    if (mine === undefined) return;
    this.#press(filing, mine);
    if (mine.filed !== undefined) this.#say(who, filing, { kind: 'filed', receipt: mine.filed });
  }

  #decide(who: number, filing: number, act: rules.HandAct): rules.HandDecision | undefined {
    const decision = this.#hand.decideHand(this.#row(filing).facts, act, `p${who}`);
    return decision.kind === 'refused' ? undefined : decision;
  }

  #state(filing: number): rules.HandState {
    return this.#hand.handState(this.#row(filing).facts);
  }

  #row(filing: number): Row {
    const row = this.#rows[filing];
    if (row === undefined) throw new Error(`no filing ${filing}`);
    return row;
  }

  #pick(count: number): number {
    return Math.floor(this.#dice() * count);
  }

  #pickOf<T>(all: readonly T[]): T {
    const one = all[this.#pick(all.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }

  #violate(invariant: string): void {
    this.#violations.add(invariant);
  }
}

function freshFacts(now: Instant): rules.HandFacts {
  return {
    now,
    status: 'pending',
    step: 'send',
    attempt: 0,
    isByHand: true,
    nextAt: now,
    isApproved: true,
    isHeldByWorker: false,
    taking: undefined,
    visibleAfterMs: VISIBLE_MS,
  };
}

/** Mulberry32: the same seed, the same day. */
function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
