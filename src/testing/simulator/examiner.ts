import {
  type Instant,
  patternOf,
  type PayloadLimits,
  pointer,
  type Profile,
} from '../../core/index.ts';
import { OpeningClock } from './opening-hours.ts';

/** Why the portal will not take a payload, with the field at fault. */
export interface Objection {
  readonly code: string;
  readonly field: string;
}

const DAY_MS = 86_400_000;
const EMPTY: PayloadLimits = {
  fields: [],
  whitespace: 'any',
  characters: 'unicode',
  duplicateWindowMs: 0,
};

/**
 * Examines payloads as the profile says that the portal does. Apart from the worker's own gates on purpose: a portal
 * that shares their mistake cannot show it.
 */
export class Examiner {
  private readonly profile: Profile;
  private readonly limits: PayloadLimits;
  private readonly opening: OpeningClock | undefined;
  private readonly number: ReturnType<typeof patternOf> | undefined;
  /** When an entity's filing of a kind was last taken, and under which key. */
  private readonly taken = new Map<string, { readonly key: string; readonly at: number }>();

  constructor(profile: Profile) {
    this.profile = profile;
    this.limits = profile.limits ?? EMPTY;
    this.opening = profile.hours === undefined ? undefined : new OpeningClock(profile.hours);
    const { registry } = profile;
    this.number = registry === undefined ? undefined : patternOf(registry.pattern);
  }

  /** Whether the profile says anything about payloads; a portal that does not takes any bytes. */
  get isStrict(): boolean {
    return this.profile.limits !== undefined || this.profile.registry !== undefined;
  }

  examine(payload: unknown, unknown: readonly string[], now: Instant): Objection | undefined {
    if (typeof payload !== 'object' || payload === null) return { code: 'MALFORMED', field: '' };
    return (
      this.examineTexts(payload, '') ??
      this.examineFields(payload) ??
      this.examineEntity(payload, unknown) ??
      this.examinePayment(payload) ??
      this.examineMonth(payload, now)
    );
  }

  /** The registry's word about a number. */
  registered(number: string, unknown: readonly string[]): boolean {
    return this.number?.test(number) === true && !unknown.includes(number);
  }

  /** True when a filing for the same entity and kind was taken inside the window, under another key. */
  isDuplicate(payload: unknown, key: string, now: Instant): boolean {
    const { duplicateWindowMs } = this.limits;
    const entity = this.entityOf(payload);
    if (duplicateWindowMs === 0 || entity === undefined) return false;
    const last = this.taken.get(entity);
    return last !== undefined && last.key !== key && now - last.at < duplicateWindowMs;
  }

  noteTaken(payload: unknown, key: string, now: Instant): void {
    const entity = this.limits.duplicateWindowMs === 0 ? undefined : this.entityOf(payload);
    if (entity !== undefined) this.taken.set(entity, { key, at: now });
  }

  private entityOf(payload: unknown): string | undefined {
    const number = pointer(payload, this.profile.registry?.numberAt ?? '/registry_number');
    if (typeof number !== 'string') return undefined;
    return JSON.stringify([number, pointer(payload, '/filing_kind') ?? '']);
  }

  private examineTexts(value: unknown, at: string): Objection | undefined {
    if (typeof value === 'string') {
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
      if (/[\u0000-\u001f\u007f-\u009f]/.test(value)) return { code: 'CONTROL', field: at };
      if (this.limits.whitespace === 'trimmed' && value.trim() !== value) {
        return { code: 'WHITESPACE', field: at };
      }
      const isAscii = /^[\u0020-\u007e]*$/.test(value);
      return this.limits.characters === 'ascii' && !isAscii
        ? { code: 'CHARACTERS', field: at }
        : undefined;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, inner] of Object.entries(value)) {
      const objection = this.examineTexts(inner, `${at}/${name}`);
      if (objection !== undefined) return objection;
    }
    return undefined;
  }

  private examineFields(payload: unknown): Objection | undefined {
    for (const { at, required, charactersMax } of this.limits.fields) {
      const value = pointer(payload, at);
      if (value === undefined || value === '') {
        if (required) return { code: 'REQUIRED', field: at };
      } else if (typeof value === 'string' && charactersOf(value) > (charactersMax ?? Infinity)) {
        return { code: 'TOO_LONG', field: at };
      }
    }
    return undefined;
  }

  private examineEntity(payload: unknown, unknown: readonly string[]): Objection | undefined {
    const { registry } = this.profile;
    if (registry === undefined) return undefined;
    const number = pointer(payload, registry.numberAt);
    const isKnown = typeof number === 'string' && this.registered(number, unknown);
    return isKnown ? undefined : { code: 'ENTITY_UNKNOWN', field: registry.numberAt };
  }

  private examinePayment(payload: unknown): Objection | undefined {
    const { payment } = this.limits;
    // A form brings texts, a JSON body numbers.
    const cents = Number((payment && pointer(payload, payment.centsAt)) ?? 0);
    if (payment === undefined || !Number.isFinite(cents) || cents === 0) return undefined;
    const chosen = pointer(payload, payment.railAt);
    const rail = payment.rails.find((one) => one.rail === chosen);
    const fits = rail !== undefined && cents <= (rail.centsMax ?? Number.POSITIVE_INFINITY);
    return fits ? undefined : { code: 'PAYMENT_RAIL', field: payment.railAt };
  }

  /** Not before the first day in the filing's month on which the doors open. */
  private examineMonth(payload: unknown, now: Instant): Objection | undefined {
    const { notBeforePeriod } = this.limits;
    const { hours } = this.profile;
    const period = notBeforePeriod && pointer(payload, notBeforePeriod.periodAt);
    if (notBeforePeriod === undefined || hours === undefined || typeof period !== 'string') {
      return undefined;
    }
    const [year, month] = /^(\d{4})-(\d{2})$/.exec(period)?.slice(1).map(Number) ?? [];
    if (year === undefined || month === undefined) return undefined;
    // Ten days from two days before the first: some open day lies among them, whatever the zone.
    const first = Date.UTC(year, month - 1, 1);
    const zone = new Intl.DateTimeFormat('en-CA', { timeZone: hours.zone });
    for (let at = first - 2 * DAY_MS; at < first + 10 * DAY_MS; at += DAY_MS / 96) {
      const isInMonth = zone.format(at).startsWith(period);
      // Every quarter of an hour of those days is an instant; none of them is computed otherwise.
      if (isInMonth && this.opening?.isOpen(at as Instant) === true) {
        return now < at ? { code: 'TOO_EARLY', field: notBeforePeriod.periodAt } : undefined;
      }
    }
    return undefined;
  }
}

/** Code points, which is what a person counts; an emoji is one character, not two. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}
