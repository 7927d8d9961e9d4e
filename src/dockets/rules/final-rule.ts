/** How the day is found on which the right is lost, where the law gives one beyond the due day, and on what condition. */
import { type LawNode, type OnePeriod, parsePeriod } from '../../calendar/index.ts';

/** Those whose way is the law's own: the words and the cap are in `final.ts`. */
const NAMED = ['us-reply', 'us-missing-parts', 'maintenance-grace', 'due'] as const;

export type FinalRule =
  | { readonly kind: (typeof NAMED)[number] }
  /** A fee with a surcharge: so many months after the due date, un-rolled. */
  | { readonly kind: 'grace'; readonly months: number; readonly condition: string }
  /** So much more than the period that was set, counted from the same start. */
  | { readonly kind: 'extension'; readonly period: OnePeriod; readonly condition: string }
  /** So much in all, from the same start. */
  | { readonly kind: 'total'; readonly period: OnePeriod; readonly condition: string }
  /** So much after the end of the period, un-rolled. */
  | { readonly kind: 'after-end'; readonly period: OnePeriod; readonly condition: string }
  /** Months that the office adds to the national limit, by office or as the case says. */
  | {
      readonly kind: 'late-entry';
      readonly months: ReadonlyMap<string, number>;
      readonly condition: string;
    };

const MONTHS = { min: 1, max: 60 } as const;

export function readFinal(node: LawNode | undefined): FinalRule | undefined {
  if (node === undefined) return undefined;
  if (typeof node.value === 'string') return { kind: node.oneOf(NAMED) };
  node.object(
    ['condition'],
    ['grace_months', 'extension', 'total', 'after_end', 'late_entry_months'],
  );
  const condition = node.field('condition').text();
  const [way = '', ...more] = node.keys().filter((name) => name !== 'condition');
  if (way === '' || more.length > 0) {
    node.refuse(
      'expected exactly one of grace_months, extension, total, after_end, late_entry_months',
    );
  }
  switch (way) {
    case 'grace_months':
      return { kind: 'grace', months: node.field(way).integer(MONTHS), condition };
    case 'extension':
      return { kind: 'extension', period: periodOf(node.field(way)), condition };
    case 'total':
      return { kind: 'total', period: periodOf(node.field(way)), condition };
    case 'after_end':
      return { kind: 'after-end', period: periodOf(node.field(way)), condition };
    default: {
      const offices = node.field(way);
      const months = offices
        .keys()
        .map((office) => [office, offices.field(office).integer(MONTHS)] as const);
      return { kind: 'late-entry', months: new Map(months), condition };
    }
  }
}

function periodOf(node: LawNode): OnePeriod {
  const [one, ...more] = parsePeriod(node.text())?.inARow ?? [];
  if (one === undefined || more.length > 0) node.refuse('expected a period such as P2M or P30D');
  return one;
}
