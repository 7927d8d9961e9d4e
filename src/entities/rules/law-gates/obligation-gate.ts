/**
 * The law before the portal: is something owed, is the row's due date the rule's, may it be filed yet. It speaks only where
 * the payload says what the entity is (`entity_kind` and `origin` in `fields`); otherwise it says that it did not look.
 */
import { addDays, type Day, formatDay, parseDay } from '../../../calendar/index.ts';
import { FilewrightError, type Instant, type JsonValue, zoneFormats } from '../../../core/index.ts';
import { OBLIGATION_FIELDS } from '../columns.ts';
import type { Gated, GateFinding, GateStep, LawGates, Payload } from '../gates-report.ts';
import { answerObligation, type ObligationAnswer } from '../law/obligation-answer.ts';
import type { EntityLaw } from '../law/obligation.ts';
import { laterRecord, laterRecordWords } from '../register/later-record.ts';
import { parseDay as midnightUtc, startOfDay } from '../zone-day.ts';

/** The longest cadence is ten years, but no rule read has more than two: both neighbours of a date lie within. */
const LOOK_BACK_DAYS = 800;
const OCCURRENCES_MAX = 8;
// Entities of one kind share their dates; an odd file starts anew.
const KEPT_MAX = 4_096;

type Found =
  | { readonly kind: 'answers'; readonly answers: readonly ObligationAnswer[] }
  | { readonly kind: 'refused'; readonly finding: GateFinding }
  /** The rule hangs on something that the payload does not say. */
  | { readonly kind: 'unknown'; readonly missing: string };

/** Remembers what it has computed, for one import. */
export function obligationGate(law: EntityLaw): LawGates['obligation'] {
  const kept = new Map<string, Found>();
  return (gated, zone) => {
    const input = caseOf(gated.payload);
    if (input === undefined) return notChecked('entity_kind and origin are not both given');
    const day = localDay(gated.due, zone);
    const name = JSON.stringify([...Object.values(input), day]);
    let found = kept.get(name);
    if (found === undefined) {
      found = answersAround(input, day, law);
      if (kept.size >= KEPT_MAX) kept.clear();
      kept.set(name, found);
    }
    if (found.kind === 'refused') return { refusals: [found.finding] };
    if (found.kind === 'unknown') return notChecked(`${found.missing} is not given`);
    return judge(gated, { day, zone, answers: found.answers });
  };
}

type CaseFields = Readonly<Record<string, string>>;

function caseOf(payload: Payload): CaseFields | undefined {
  const { fields, jurisdiction, filing_kind: kind } = payload;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
  if (typeof jurisdiction !== 'string' || typeof kind !== 'string') return undefined;
  // Neither null nor a list, so an object of the JSON reader.
  const given = fields as Readonly<Record<string, JsonValue>>;
  const input: Record<string, string> = { jurisdiction };
  for (const name of OBLIGATION_FIELDS) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof value === 'string' && value !== '') input[name] = value;
  }
  if (kind.split('_')[0] === 'initial') input['filing'] = 'initial';
  const isNamed = input['rule_id'] !== undefined;
  return isNamed || (input['entity_kind'] !== undefined && input['origin'] !== undefined)
    ? input
    : undefined;
}

/** The occurrences next to a day; with a date from the state's record, that one alone. */
function answersAround(input: CaseFields, day: Day, law: EntityLaw): Found {
  const answers: ObligationAnswer[] = [];
  try {
    let asOf = addDays(day, -LOOK_BACK_DAYS);
    while (answers.length < OCCURRENCES_MAX) {
      const answer = answerObligation({ ...input, as_of: formatDay(asOf) }, law);
      answers.push(answer);
      const next = answer.next_due === null ? undefined : parseDay(answer.next_due);
      if (next === undefined || next > day || input['state_record_due'] !== undefined) break;
      if (input['filing'] === 'initial') break;
      asOf = addDays(next, 1);
    }
    return { kind: 'answers', answers };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const { code, message, details } = error;
    const needsRecord = code === 'STATE_RECORD_NEEDED' || code === 'JURISDICTION_UNRESOLVED';
    if (code === 'JURISDICTION_UNRESOLVED' && input['state_record_due'] !== undefined) {
      return { kind: 'answers', answers: [] };
    }
    const missing = details['field'];
    if (code === 'CASE_INVALID' && typeof missing === 'string' && input[missing] === undefined) {
      return { kind: 'unknown', missing };
    }
    const field = needsRecord ? 'state_record_due' : String(details['field'] ?? 'entity_kind');
    return {
      kind: 'refused',
      finding: {
        code: needsRecord ? 'STATE_RECORD_NEEDED' : 'OBLIGATION_INVALID',
        field: `/fields/${field}`,
        why: message,
      },
    };
  }
}

function judge(
  gated: Gated,
  found: {
    readonly day: Day;
    readonly zone: string;
    readonly answers: readonly ObligationAnswer[];
  },
): GateStep {
  const { day, zone, answers } = found;
  const { period, filing_kind: kind } = gated.payload;
  const [first] = answers;
  if (first === undefined) return notChecked('the rules do not know the jurisdiction');
  if (typeof kind === 'string' && !covers(first.filing_name, kind)) {
    return notChecked(`the rule ${first.rule_id} is about "${first.filing_name}"`);
  }
  const answer = nearest(answers, day, typeof period === 'string' ? period : '');
  if (answer === undefined) {
    const why = `under ${first.rule_id} nothing is owed; give state_record_due if the state’s record shows a date`;
    return { refusals: [{ code: 'NOTHING_OWED', field: '/filing_kind', why }] };
  }
  const dates = dueFindings(answer, day);
  const opens = answer.not_before === undefined ? undefined : parseDay(answer.not_before);
  const opening = opens === undefined ? {} : windowStep(gated, opens, zone, answer);
  return {
    ...opening,
    notices: [...dates.notices, ...laterRecordOf(answer)],
    refusals: [...dates.refusals, ...(opening.refusals ?? [])],
  };
}

function laterRecordOf(answer: ObligationAnswer): GateFinding[] {
  const later = laterRecord(answer.alarms, answer.next_due ?? undefined);
  if (later === undefined) return [];
  return [{ code: 'STATE_RECORD_LATER', field: '/due', why: laterRecordWords(later) }];
}

/** Every word of the kind is in the name of the filing: `annual_report` is in "Annual franchise tax report". */
function covers(name: string | undefined, kind: string): boolean {
  if (name === undefined || kind.startsWith('initial_')) return true;
  const words = new Set(name.toLowerCase().split(/[^a-z]+/));
  return kind.split('_').every((word) => words.has(word));
}

/** The one in the row's own period if there is one, else the closest in days. */
function nearest(
  answers: readonly ObligationAnswer[],
  day: Day,
  period: string,
): ObligationAnswer | undefined {
  const dated = answers.filter((answer) => answer.next_due !== null);
  // A tax is named after the year it is for, a report after the year in which it is due.
  const own = dated.filter((answer) =>
    answer.tax_year === undefined
      ? answer.next_due?.startsWith(period) === true
      : String(answer.tax_year) === period,
  );
  const distance = (answer: ObligationAnswer): number =>
    Math.abs((parseDay(answer.due ?? answer.next_due ?? '') ?? day) - day);
  return [...(own.length > 0 ? own : dated)].sort((a, b) => distance(a) - distance(b))[0];
}

function dueFindings(
  answer: ObligationAnswer,
  day: Day,
): { readonly notices: readonly GateFinding[]; readonly refusals: readonly GateFinding[] } {
  const { due, next_due, rolled_due, conservative_due, last_timely_day, rule_id } = answer;
  const text = formatDay(day);
  const relied = due ?? next_due ?? text;
  // ISO days compare as texts.
  const last =
    [relied, rolled_due ?? '', last_timely_day === undefined ? (next_due ?? '') : '']
      .sort()
      .at(-1) ?? relied;
  const found = (code: GateFinding['code'], why: string): GateFinding => ({
    code,
    field: '/due',
    why,
  });
  if (text > last) {
    const why = `${text} is after ${last}, which ${rule_id} gives; correct the row, or give state_record_due if the state’s record shows another date`;
    return { notices: [], refusals: [found('DUE_AFTER_RULE', why)] };
  }
  if (text > relied) {
    const why = `${text} is one reading of ${rule_id}; ${relied} is the date to use`;
    return { notices: [found('DUE_UNCERTAIN', why)], refusals: [] };
  }
  const readings = [relied, next_due, rolled_due, conservative_due, last_timely_day];
  if (readings.includes(text)) return { notices: [], refusals: [] };
  const why = `${text} is before ${relied}, which ${rule_id} gives; the earlier date is kept`;
  return { notices: [found('DUE_BEFORE_RULE', why)], refusals: [] };
}

function windowStep(gated: Gated, opens: Day, zone: string, answer: ObligationAnswer): GateStep {
  const midnight = midnightUtc(formatDay(opens));
  if (midnight === undefined) return {};
  const from: Instant = startOfDay(midnight, zone);
  if (from <= gated.notBefore) return {};
  const reason = answer.reasons?.['window_opens']?.text ?? '';
  if (from >= gated.due) {
    const why = `the window opens on ${formatDay(opens)}, after the due moment. ${reason}`.trim();
    return { refusals: [{ code: 'OUTSIDE_WINDOW', field: '/due', why }] };
  }
  const change = {
    code: 'WINDOW_OPENS' as const,
    field: '/not_before',
    why: `nothing is sent before the window opens (${answer.rule_id}). ${reason}`.trim(),
    before: gated.notBefore <= 0 ? '' : new Date(gated.notBefore).toISOString(),
    after: new Date(from).toISOString(),
  };
  return { gated: { notBefore: from }, changes: [change] };
}

function notChecked(because: string): GateStep {
  const why = `the due date was not compared with the law: ${because}`;
  return { notices: [{ code: 'OBLIGATION_NOT_CHECKED', field: '/due', why }] };
}

const formatOf = zoneFormats('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** The calendar day in a zone. */
function localDay(at: Instant, zone: string): Day {
  const day = parseDay(formatOf(zone).format(at));
  if (day === undefined) throw new RangeError(`the moment ${at} has no day in ${zone}`);
  return day;
}
