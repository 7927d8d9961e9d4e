/** Deliberate defects of the rules for filing by hand; the simulation must notice each. */
import { addMs } from '../../src/core/index.ts';
import type { HandAct, HandDecision, HandFacts } from '../../src/filings/rules/hand.ts';
import { type HandRules, REAL } from './world.ts';

type Decide = HandRules['decideHand'];

function deciding(
  wrong: (facts: HandFacts, act: HandAct, party: string, right: HandDecision) => HandDecision,
): HandRules {
  const decideHand: Decide = (facts, act, party) =>
    wrong(facts, act, party, REAL.decideHand(facts, act, party));
  return { ...REAL, decideHand };
}

const refused = (right: HandDecision): boolean => right.kind === 'refused';
const taking = ({ now, attempt }: HandFacts): HandDecision => ({
  kind: 'take',
  attempt: attempt + 1,
  until: addMs(now, 2_700_000),
});
const holder = ({ taking: last }: HandFacts): string => last?.party ?? '';
const sayTo = (
  right: HandDecision,
  from: string,
  to: 'pending' | 'submitted' | 'accepted',
): HandDecision =>
  right.kind === 'say' && right.outcome.to === from
    ? { ...right, outcome: { ...right.outcome, to } }
    : right;

export const HAND_BUGS: Readonly<Record<string, HandRules>> = {
  'two people take one filing': deciding((facts, act, _party, right) =>
    act.kind === 'take' && refused(right) && REAL.handState(facts).kind === 'taken'
      ? taking(facts)
      : right,
  ),
  'a lost filing is taken without a look': deciding((facts, act, _party, right) =>
    act.kind === 'take' && refused(right) && REAL.handState(facts).kind === 'look'
      ? taking(facts)
      : right,
  ),
  'a look proves something at once': deciding((facts, act, party) =>
    REAL.decideHand({ ...facts, visibleAfterMs: 0 }, act, party),
  ),
  'who went home may give it back from memory': deciding((facts, act, party, right) =>
    refused(right) &&
    act.kind === 'say' &&
    act.word.kind === 'not_filed' &&
    REAL.handState(facts).kind === 'look' &&
    holder(facts) === party
      ? REAL.decideHand(
          { ...facts, visibleAfterMs: 0 },
          { kind: 'say', word: { kind: 'absent', lookedAt: facts.now } },
          party,
        )
      : right,
  ),
  'a taking is renewed after its end by whoever asks': deciding((facts, act, _party, right) =>
    refused(right) && act.kind === 'renew'
      ? { kind: 'renew', attempt: facts.attempt, until: addMs(facts.now, 2_700_000) }
      : right,
  ),
  'another person gives back what is taken': deciding((facts, act, _party, right) =>
    refused(right) && act.kind === 'say' ? REAL.decideHand(facts, act, holder(facts)) : right,
  ),
  'not sure is free again': deciding((_facts, act, _party, right) =>
    act.kind === 'say' && act.word.kind === 'unsure' ? sayTo(right, 'submitted', 'pending') : right,
  ),
  'what was filed goes back to the queue': deciding((_facts, act, _party, right) =>
    act.kind === 'say' && act.word.kind === 'filed' ? sayTo(right, 'accepted', 'pending') : right,
  ),
  'what is not there counts as filed': deciding((_facts, act, _party, right) =>
    act.kind === 'say' && act.word.kind === 'absent' ? sayTo(right, 'pending', 'accepted') : right,
  ),
  'a taking never ends': {
    ...REAL,
    handState: (facts) =>
      REAL.handState(
        facts.taking === undefined ? facts : { ...facts, now: addMs(facts.taking.takenAt, 0) },
      ),
    lossOf: () => undefined,
  },
  'another spelling is another receipt': {
    ...REAL,
    receiptSpelling: (receipt) => receipt,
    isFree: ({ receipt }, number) => receipt !== number,
  },
  'a receipt of another filing is taken': { ...REAL, isFree: () => true },
  'a loss is recorded as not filed': {
    ...REAL,
    lossOf: (facts) => {
      const lost = REAL.lossOf(facts);
      return lost === undefined ? undefined : { ...lost, to: 'pending' };
    },
  },
};
