/** The outcome of a line that is no entry of its own: a second delivery, or a hint. */
import type { BankLine } from '../bank-line.ts';
import type { FoundOutcome, MatchRule } from '../outcome.ts';
import type { Folded } from './deliveries.ts';
import { lineAlone } from '../outcome-alone.ts';

export function toldOutcome(folded: Exclude<Folded, { kind: 'entry' }>): FoundOutcome {
  const { line, of } = folded;
  const told = folded.kind === 'repetition' ? repetition(folded.of) : hinted(line, of);
  return lineAlone(line, { ...told, status: 'ignored', ...(of !== undefined && { of }) });
}

interface Told {
  readonly rule: MatchRule;
  readonly text: string;
}

function repetition(of: string): Told {
  const text = `Another statement has the same entry; it counts once, as ${of}.`;
  return { rule: 'P0-duplicate-delivery', text };
}

function hinted({ status, isAnnounced }: BankLine, of: string | undefined): Told {
  if (status !== 'booked') {
    const text = `The entry is ${status}; only a booked entry is money.`;
    return { rule: status === 'pending' ? 'P0-pending' : 'P0-information', text };
  }
  if (isAnnounced !== true || of === undefined) {
    return {
      rule: 'P0-announcement',
      text: 'It is only announced; it counts when a booked statement has it.',
    };
  }
  return {
    rule: 'P0-duplicate-delivery',
    text: `It was announced; the bank's statement has the entry as ${of}.`,
  };
}
