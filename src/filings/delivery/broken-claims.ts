/**
 * A claim that breaks while it is handled: an error that nobody foresaw, set off by one filing or by one answer to it. It is
 * set aside for a person, and the worker and the lane go on. What is about the database is thrown on: it is waited out.
 */
import {
  type Claim,
  type FilingId,
  type Instant,
  isDatabaseAway,
  type LaneCode,
  type OutcomeRecord,
} from '../../core/index.ts';
import type { FilingEvent } from '../rules/decide.ts';
import type { Happening, Recorder } from './recorder.ts';
import type { Turn } from './turn.ts';

/** As many in a row are no longer the filings' fault: the lane stops, instead of giving all of them to people. */
const IN_A_ROW_MAX = 3;

const CLAIM_BROKEN = 'CLAIM_BROKEN';
const STEP_UNREADABLE = 'STEP_UNREADABLE';

export class BrokenClaims {
  readonly #recorder: Recorder;
  readonly #inARow = new Map<LaneCode, number>();
  readonly #left = new Set<FilingId>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** How many are held for good: of them not even the end could be recorded. */
  get left(): number {
    return this.#left.size;
  }

  /** The turn of a claim, or what becomes of it when that breaks. The portal may be at work on it. */
  async caught(claim: Claim, turn: () => Promise<Turn>): Promise<Turn> {
    const { lane } = claim.filing;
    try {
      const taken = await turn();
      if (this.#inARow.size > 0) this.#inARow.delete(lane);
      return taken;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const inARow = (this.#inARow.get(lane) ?? 0) + 1;
      this.#inARow.set(lane, inARow);
      await this.report(claim, CLAIM_BROKEN);
      return { event: brokenEvent(claim, inARow), mayBeBusy: true };
    }
  }

  /** The outcome of what happened; where none can be made of it, that of a claim that broke; else it is left. */
  async outcomeOf(happening: Happening, now: Instant): Promise<OutcomeRecord | undefined> {
    const { claim } = happening;
    try {
      return await this.#recorder.outcomeOf(happening, now);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
    }
    const event = { kind: 'broken', code: CLAIM_BROKEN } as const;
    try {
      const outcome = await this.#recorder.outcomeOf({ claim, event }, now);
      await this.report(claim, CLAIM_BROKEN);
      return outcome;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.#left.add(claim.filing.id);
      await this.report(claim, CLAIM_BROKEN, 'left');
      return undefined;
    }
  }

  async report(
    { filing }: Claim,
    code: string,
    what: 'set_aside' | 'left' = 'set_aside',
  ): Promise<void> {
    await this.#recorder.reportFault({ filing: filing.id, code, what });
  }
}

function brokenEvent({ filing }: Claim, inARow: number): FilingEvent {
  const { step } = filing;
  // A question has no effect: it is asked again, within its bounds.
  if (step?.action === 'ask' || step?.action === 'poll')
    return { kind: 'asked', answer: { kind: 'unclear', code: CLAIM_BROKEN } };
  if (inARow < IN_A_ROW_MAX) return { kind: 'broken', code: CLAIM_BROKEN };
  return { kind: 'sent', verdict: { kind: 'drift', code: CLAIM_BROKEN, written: true } };
}

/** A row whose step nobody of ours has written; undefined where all is well. Nothing is known of its earlier attempts. */
export function unreadableStep({ filing }: Claim): (FilingEvent & { kind: 'broken' }) | undefined {
  return filing.step === undefined ? { kind: 'broken', code: STEP_UNREADABLE } : undefined;
}
