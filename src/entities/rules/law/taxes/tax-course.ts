/** An answer about a tax, built together with its reasons: what was asked, by which record, and what it rests on. */
import {
  type Confidence,
  type Day,
  formatDay,
  leastConfidence,
  type OfficeCalendar,
  rollForward,
} from '../../../../calendar/index.ts';
import type { JsonValue } from '../../../../core/index.ts';
import { weekdayName } from '../weekend.ts';
import type { TaxLaw, TaxRecord } from './tax-law.ts';

export interface EntityTaxAnswer {
  readonly tax: string;
  readonly name: string;
  readonly payee: string;
  readonly result: JsonValue;
  readonly steps: readonly {
    readonly n: number;
    readonly text: string;
    readonly citation?: string;
  }[];
  readonly confidence: Confidence;
  readonly verified: 'primary' | 'secondary' | 'none';
  readonly citation_basis: 'read' | 'memory';
  /** False: a person must do the task first. */
  readonly decides: boolean;
  readonly task?: string;
  readonly warnings?: readonly string[];
  readonly note?: string;
  readonly rule_version: string;
  readonly calendar_version: string | null;
}

export interface TaxDeps {
  readonly law: TaxLaw;
  /** Weekends and federal holidays. */
  readonly businessDays: OfficeCalendar;
}

export class TaxCourse {
  readonly #tax: TaxRecord;
  readonly #deps: TaxDeps;
  readonly #steps: { text: string; citation?: string }[] = [];
  readonly #tasks: string[] = [];
  readonly #warnings: string[] = [];
  #confidence: Confidence;
  #verified: 'primary' | 'secondary' | 'none';
  #calendarVersion: string | null = null;

  constructor(tax: TaxRecord, deps: TaxDeps) {
    this.#tax = tax;
    this.#deps = deps;
    this.#confidence = tax.confidence;
    this.#verified = tax.verified;
  }

  say(text: string): this {
    const { citation } = this.#tax;
    this.#steps.push(citation === null ? { text } : { text, citation });
    return this;
  }

  warn(text: string): this {
    this.#warnings.push(text);
    return this;
  }

  task(text: string, confidence: Confidence): this {
    this.#tasks.push(text);
    this.#confidence = leastConfidence(this.#confidence, confidence);
    return this;
  }

  /** A part of the answer that was read worse than the tax itself. */
  rest(verified: 'primary' | 'secondary' | 'none', subject: string): this {
    const ranks = ['none', 'secondary', 'primary'];
    if (ranks.indexOf(verified) < ranks.indexOf(this.#verified)) this.#verified = verified;
    if (verified !== 'none') return this;
    return this.task(`Confirm ${subject}: it is from memory`, 'low');
  }

  /** To the next business day; only verified closings move it. */
  roll(due: Day): Day {
    const { businessDays } = this.#deps;
    this.#calendarVersion = businessDays.version;
    const rolled = rollForward(due, businessDays);
    const closed = rolled.skipped.map(({ day, reason }) => `${formatDay(day)} (${reason})`);
    if (businessDays.coverageOf(due) !== 'complete') {
      this.task(`Check the holidays around ${formatDay(due)}: that year is not covered`, 'low');
    }
    this.say(
      closed.length === 0
        ? `${weekdayName(due)} ${formatDay(due)} is a business day: it does not move.`
        : `Not a business day: ${closed.join(', ')}; the next one is ${formatDay(rolled.day)}.`,
    );
    return rolled.day;
  }

  end(result: JsonValue): EntityTaxAnswer {
    const tax = this.#tax;
    return {
      tax: tax.id,
      name: tax.name,
      payee: tax.payee,
      result,
      steps: this.#steps.map((step, index) => ({ n: index + 1, ...step })),
      confidence: this.#confidence,
      verified: this.#verified,
      citation_basis: tax.citation_basis,
      decides: this.#tasks.length === 0 && this.#verified !== 'none',
      ...(this.#tasks.length === 0 ? {} : { task: this.#tasks.join('. ') }),
      ...(this.#warnings.length === 0 ? {} : { warnings: this.#warnings }),
      ...(tax.notes === null ? {} : { note: tax.notes }),
      rule_version: this.#deps.law.version,
      calendar_version: this.#calendarVersion,
    };
  }
}
