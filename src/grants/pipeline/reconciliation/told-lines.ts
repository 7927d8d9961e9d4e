/** Outcomes of lines that are no entries: second deliveries, hints, and what came too late; held as bytes until they are asked for. */
import type { BankLine } from '../../rules/matching/bank-line.ts';
import type { Folded } from '../../rules/matching/deliveries/deliveries.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import { HeldLines } from '../../rules/matching/deliveries/held-lines.ts';
import { toldOutcome } from '../../rules/matching/deliveries/told-outcomes.ts';
import { lineAlone } from '../../rules/matching/outcome-alone.ts';

type Told = Exclude<Folded, { kind: 'entry' }>;
/** Kind and, where there is one, the line that is repeated. */
type Kept = [kind: Told['kind'] | 'late', of: string | null];

export class ToldLines implements Iterable<FoundOutcome> {
  readonly #lines = new HeldLines<Kept>();

  add({ kind, line, of }: Told): void {
    this.#lines.add('', line, [kind, of ?? null]);
  }

  addLate(line: BankLine): void {
    this.#lines.add('', line, ['late', null]);
  }

  *[Symbol.iterator](): Generator<FoundOutcome> {
    for (const { line, more } of this.#lines.at('')) {
      const [kind, of] = more;
      if (kind === 'late') yield lateOutcome(line);
      else if (kind === 'repetition') yield toldOutcome({ kind, line, of: of ?? '' });
      else yield toldOutcome({ kind, line, of: of ?? undefined });
    }
  }
}

/** A closed total is never changed, so that nobody but a person can say what the line is. */
function lateOutcome(line: BankLine): FoundOutcome {
  return lineAlone(line, {
    rule: 'P6-closed-period',
    status: 'manual',
    text: 'Its date is in a closed period that did not include it. Ask the bank why it is late. Resolve it with the award that it pays, or with none; it then counts in the next period that you close.',
  });
}
