declare const instantBrand: unique symbol;

/** A moment, in milliseconds since the epoch, by the database's clock unless said otherwise. */
export type Instant = number & { readonly [instantBrand]: true };

/** Brands a number of milliseconds; the only place where one becomes an instant. */
export function instant(epochMs: number): Instant {
  // The brand exists only for the compiler.
  return epochMs as Instant;
}

export function addMs(at: Instant, ms: number): Instant {
  return instant(at + ms);
}

/** RFC 3339 in UTC with exactly milliseconds, as the ledger writes it. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}

/** Reads RFC 3339 with an offset; undefined when the text is anything else or names a day that does not exist. */
export function parseRfc3339(text: string): Instant | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  // Date.parse rolls February 30 over to March; the calendar day must survive the round trip.
  const day = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  const same = day.getUTCMonth() === Number(match[2]) - 1 && day.getUTCDate() === Number(match[3]);
  return same && Number(match[4]) < 24 ? instant(ms) : undefined;
}
