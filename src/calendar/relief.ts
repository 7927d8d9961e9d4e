/**
 * Exceptional relief: outages, dislocated mail, prolonged closures. It is laid over the rolled date, can only make it
 * later, and needs two people, because a wrong entry would make every date of an office late.
 */
import { type Day, formatDay } from './day.ts';
import { type LawNode, readLawDocument } from './law-document.ts';

export interface Relief {
  readonly office: string;
  readonly from: Day;
  readonly to: Day;
  readonly newDate: Day;
  /** Rule codes; `*` means every rule that is not for a priority period, which must be named to be moved. */
  readonly appliesTo: readonly string[];
  readonly source: string;
  readonly approvedBy: string;
  readonly secondPerson: string;
}

export interface ReliefFile {
  readonly version: string;
  readonly overlays: readonly Relief[];
}

export function readReliefFile(text: string, file: string): ReliefFile {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' });
  root.object(['kind', 'version', 'checked', 'overlays'], ['notes']);
  root.field('kind').oneOf(['relief']);
  root.field('checked').day();
  return {
    version: root.field('version').text(),
    overlays: root.field('overlays').items().map(readRelief),
  };
}

function readRelief(node: LawNode): Relief {
  node.object([
    'office',
    'from',
    'to',
    'new_date',
    'applies_to',
    'source',
    'approved_by',
    'second_person',
  ]);
  const from = node.field('from').day();
  const to = node.field('to').day();
  const newDate = node.field('new_date').day();
  if (to < from) node.field('to').refuse('ends before it begins');
  if (newDate <= to) {
    node
      .field('new_date')
      .refuse(`relief can only move a date later: expected a day after ${formatDay(to)}`);
  }
  const approvedBy = node.field('approved_by').text();
  const secondPerson = node.field('second_person').text();
  if (approvedBy.trim().toLowerCase() === secondPerson.trim().toLowerCase()) {
    node.field('second_person').refuse('expected a second, different person');
  }
  const appliesTo = node
    .field('applies_to')
    .items()
    .map((rule) => rule.text());
  if (appliesTo.length === 0) {
    node.field('applies_to').refuse('expected at least one rule, or "*"');
  }
  const office = node.field('office').text();
  const source = node.field('source').text();
  return { office, from, to, newDate, appliesTo, source, approvedBy, secondPerson };
}

export interface ReliefQuestion {
  readonly office: string;
  readonly rule: string;
  readonly due: Day;
  /** PCT Rule 82quater excuses no missed priority period, so `*` does not reach one. */
  readonly priorityPeriod: boolean;
}

/** The relief that helps furthest; undefined where none applies. */
export function reliefFor(
  question: ReliefQuestion,
  overlays: readonly Relief[],
): Relief | undefined {
  let best: Relief | undefined;
  for (const relief of overlays) {
    const named = relief.appliesTo.includes(question.rule);
    const meant = named || (relief.appliesTo.includes('*') && !question.priorityPeriod);
    const inside = question.due >= relief.from && question.due <= relief.to;
    if (relief.office !== question.office || !meant || !inside) continue;
    if (best === undefined || relief.newDate > best.newDate) best = relief;
  }
  return best;
}
