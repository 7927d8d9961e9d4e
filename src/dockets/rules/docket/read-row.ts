/** Reads one record: a docket event, or drift with what changed, or every wrong value. */
import { type Day, parseDay, parseInstant, parsePeriod } from '../../../calendar/index.ts';
import { holdsNul, isPlainText, type JsonValue, type RowError } from '../../../core/index.ts';
import { inherit, type Labels, NO_LABELS, UNREAD_LABEL } from '../access/labels.ts';
import type { UnreadPart } from '../access/rights.ts';
import { renewalYear } from '../words.ts';
import { COLUMN_BY_NAME, DOCKET_COLUMNS } from './columns.ts';
import type { DocketEvent, Glimpse } from './docket.ts';
import { type DriftChange, driftOf, type Fields, isAbsent, likelyName, sayDrift } from './drift.ts';
import { isLabelName, labelsIn } from './read-labels.ts';

export type DocketReading =
  | { readonly kind: 'event'; readonly event: DocketEvent; readonly unknown: readonly string[] }
  /** The sender's schema changed. `errors` are all faults of the record, those of the drift first. */
  | {
      readonly kind: 'drift';
      readonly changes: readonly DriftChange[];
      readonly errors: readonly RowError[];
      readonly glimpse: Glimpse;
    }
  | { readonly kind: 'refused'; readonly errors: readonly RowError[]; readonly glimpse: Glimpse };

interface ReadOptions {
  /** Where a missing field may have gone, when the record was made from another document. */
  readonly othersOf?: (field: string) => Fields;
  /** What else it bears: labels of the document that it was taken from. */
  readonly labels?: Labels;
}

/** Inputs may also come as columns of their own, as a CSV has no objects. */
const INPUT_PREFIX = 'inputs.';

/** Far more than any matter has; each is looked at for every reader. */
const LABELS_MAX = 500;
/** Inputs of a rule are a few dates and numbers. */
const INPUTS_CHARACTERS_MAX = 20_000;

export function readDocketRow(row: Fields, options: ReadOptions = {}): DocketReading {
  const unknown = Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => !COLUMN_BY_NAME.has(name) && !name.startsWith(INPUT_PREFIX) && !isLabelName(name),
    ),
  );
  const changes = DOCKET_COLUMNS.flatMap((column): DriftChange[] => {
    const value = Object.hasOwn(row, column.name) ? row[column.name] : undefined;
    const change = driftOf(column, value, options.othersOf?.(column.name) ?? unknown);
    return change === undefined ? [] : [change];
  });
  const drifted = new Set(changes.map((change) => change.field));
  const errors: RowError[] = changes.map((change) => ({
    where: change.field,
    why: sayDrift(change),
    code: 'SCHEMA_DRIFT',
  }));
  const values = new Values(row, drifted, errors);
  const event = {
    applicationNumber: values.text('application_number') ?? '',
    filingDate: values.day('filing_date'),
    eventCode: values.text('event_code') ?? '',
    eventDate: values.moment('event_date'),
    office: values.text('office'),
    filingCountry: values.text('filing_country'),
    rule: values.text('rule'),
    period: values.period('period'),
    inputs: values.inputs(),
    stated: { due: values.day('due_date'), final: values.day('final_date') },
    client: values.text('client'),
    technologyGroup: values.text('technology_group'),
    matter: values.text('matter'),
    title: values.text('title'),
    labels: bounded(inherit(labelsOf(row, values, unknown), options.labels ?? NO_LABELS), errors),
    ...unreadIn(values, unknown),
  };
  const { filingDate } = event;
  if (changes.length === 0 && errors.length === 0 && filingDate !== undefined) {
    return { kind: 'event', event: { ...event, filingDate }, unknown: Object.keys(unknown) };
  }
  const glimpse: Glimpse = {
    applicationNumber: event.applicationNumber === '' ? undefined : event.applicationNumber,
    client: event.client,
    technologyGroup: event.technologyGroup,
    office: event.office,
    matter: event.matter,
    labels: event.labels,
    ...(event.unread === undefined ? {} : { unread: event.unread }),
  };
  return changes.length > 0
    ? { kind: 'drift', changes, errors, glimpse }
    : { kind: 'refused', errors, glimpse };
}

/**
 * Labels that are there but cannot be read, or that seem to have got another name, must not become "no labels": the
 * docket would be shown to everybody.
 */
function labelsOf(row: Fields, values: Values, unknown: Fields): Labels {
  const hidden = (name: 'classification' | 'privilege'): string[] =>
    isHidden(name, values, unknown) ? [UNREAD_LABEL] : [];
  return inherit(labelsIn(row, 'record'), {
    classification: hidden('classification'),
    privilege: hidden('privilege'),
  });
}

/** Too many are unread, and so for those alone who see everything: to leave some out could show it to somebody denied by them. */
function bounded(labels: Labels, errors: RowError[]): Labels {
  const one = (where: keyof Labels): readonly string[] => {
    const { length } = labels[where];
    if (length <= LABELS_MAX) return labels[where];
    const why = `has ${length} labels, and at most ${LABELS_MAX} are read`;
    errors.push({ where, why });
    return [UNREAD_LABEL];
  };
  return { classification: one('classification'), privilege: one('privilege') };
}

/** The same for whose matter it is: whoever is denied a client must not get its records because they call it otherwise. */
function unreadIn(values: Values, unknown: Fields): { readonly unread?: readonly UnreadPart[] } {
  const parts = (['client', 'technology_group'] as const).filter((name) =>
    isHidden(name, values, unknown),
  );
  return parts.length === 0 ? {} : { unread: parts };
}

function isHidden(name: string, values: Values, unknown: Fields): boolean {
  const column = COLUMN_BY_NAME.get(name);
  const renamed = column !== undefined && likelyName(column, textsOf(unknown)) !== undefined;
  return values.isUnread(name) || (values.isMissing(name) && renamed);
}

/** Lists count by their name alone here. */
function textsOf(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, 'present']));
}

class Values {
  readonly #row: Fields;
  readonly #drifted: ReadonlySet<string>;
  readonly #errors: RowError[];
  readonly #unread = new Set<string>();

  constructor(row: Fields, drifted: ReadonlySet<string>, errors: RowError[]) {
    this.#row = row;
    this.#drifted = drifted;
    this.#errors = errors;
  }

  isUnread(name: string): boolean {
    return this.#drifted.has(name) || this.#unread.has(name);
  }

  isMissing(name: string): boolean {
    return this.#value(name) === undefined;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    if (typeof value !== 'string') return undefined;
    if (isPlainText(value.trim())) return value.trim();
    this.#fault(name, 'is longer than 500 characters or has control characters');
    return undefined;
  }

  day(name: string): Day | undefined {
    const text = this.text(name);
    const day = text === undefined ? undefined : parseDay(text);
    if (text !== undefined && day === undefined)
      this.#fault(name, `${text} is not a date that exists`);
    return day;
  }

  moment(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || parseDay(text) !== undefined || parseInstant(text) !== undefined) {
      return text;
    }
    this.#fault(name, `${text} is not a date that exists`);
    return undefined;
  }

  period(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || text === 'receipt') return text;
    if (parsePeriod(text) !== undefined || renewalYear(text) !== undefined) return text;
    this.#fault(name, 'expected a form such as P3M, P60D or P3M+P1M');
    return undefined;
  }

  inputs(): Record<string, JsonValue> {
    const value = this.#value('inputs');
    const inputs: Record<string, JsonValue> = {};
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // Neither null nor a list: a plain object of the strict reader.
      Object.assign(inputs, value);
    }
    for (const [name, one] of Object.entries(this.#row)) {
      if (name.startsWith(INPUT_PREFIX) && !isAbsent(one)) {
        inputs[name.slice(INPUT_PREFIX.length)] = wholeNumber(one);
      }
    }
    const text = JSON.stringify(inputs);
    if (text.length <= INPUTS_CHARACTERS_MAX && !holdsNul(text)) return inputs;
    this.#fault('inputs', `are longer than ${INPUTS_CHARACTERS_MAX} characters or contain a NUL`);
    return {};
  }

  #value(name: string): JsonValue | undefined {
    if (this.#drifted.has(name) || !Object.hasOwn(this.#row, name)) return undefined;
    const value = this.#row[name];
    return isAbsent(value) ? undefined : value;
  }

  #fault(name: string, why: string): void {
    this.#unread.add(name);
    this.#errors.push({ where: name, why });
  }
}

/** A CSV cell with digits only is a count there (`pta_days`); dates have dashes. */
function wholeNumber(value: JsonValue): JsonValue {
  return typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value;
}
