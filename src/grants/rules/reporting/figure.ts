/** A figure of a report and everything it is made of, down to the line of the bank and the payload that promised it. */
import { badCase, type JsonValue } from '../../../core/index.ts';
import { wholeDollars } from '../form990-lines.ts';
import type { SourcePlace } from '../matching/bank-line.ts';

/** Money on an account, with where it stands in the bank's feed. */
export interface BankTrace {
  readonly line: string;
  readonly nativeId: string | undefined;
  readonly bookedOn: string;
  readonly cents: number;
  readonly source: SourcePlace;
}

/** One amount that went into a figure. */
export interface FigurePart {
  readonly id: string;
  readonly cents: bigint;
  readonly payloadHash: string;
  readonly idempotencyKey: string;
  /** The rule that matched it; undefined for money that no expected payment was matched for, such as a subaward. */
  readonly matchRule: string | undefined;
  readonly bank: readonly BankTrace[];
}

export interface Figure {
  /** `IRS990/GovernmentGrantsAmt`, `SF425/10a`. */
  readonly name: string;
  readonly line: string;
  readonly xpath: string | undefined;
  /** Before rounding; a total of lines has the sum of their whole dollars. */
  readonly cents: bigint;
  /** As it is written into the form. */
  readonly dollars: bigint;
  readonly parts: readonly FigurePart[];
  /** Lines that this one is computed from, with their sign. */
  readonly from: readonly { readonly sign: 1 | -1; readonly figure: Figure }[];
}

/** Cents for people: 1234567 as 12,345.67. */
export function inDollars(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  const whole = BigInt(digits.slice(0, -2)).toLocaleString('en-US');
  return `${cents < 0n ? '-' : ''}${whole}.${digits.slice(-2)}`;
}

/** A return has room for fifteen digits. */
const DOLLARS_MAX = 999_999_999_999_999n;

type FigureName = Pick<Figure, 'name' | 'line' | 'xpath'>;

/** Added with cents and rounded once. */
export function figureOf(name: FigureName, parts: readonly FigurePart[]): Figure {
  const cents = parts.reduce((sum, part) => sum + part.cents, 0n);
  return checked({ ...name, cents, dollars: wholeDollars(cents), parts, from: [] });
}

/** From lines as they are written, so that the form foots; the difference to the cents is told by `roundingOf`. */
export function totalOf(name: FigureName, from: Figure['from']): Figure {
  const sumOf = (pick: (figure: Figure) => bigint): bigint =>
    from.reduce((sum, { sign, figure }) => sum + BigInt(sign) * pick(figure), 0n);
  const cents = sumOf((figure) => figure.cents);
  return checked({ ...name, cents, dollars: sumOf((figure) => figure.dollars), parts: [], from });
}

function checked(figure: Figure): Figure {
  if (figure.dollars > DOLLARS_MAX || figure.dollars < -DOLLARS_MAX) {
    throw badCase(`${figure.name}: a line of at most 15 digits`);
  }
  return figure;
}

/** The same labels, in the same order, each once: a figure is asked for by its name, and two may not share it. */
export function eachOnce(labels: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return labels.map((label) => {
    let own = label;
    for (let n = 2; taken.has(own); n += 1) own = `${label} (${n})`;
    taken.add(own);
    return own;
  });
}

/** Dollars by which the written figure differs from its cents rounded once; kept with the return. */
export function roundingOf(figure: Figure): bigint {
  return figure.dollars - wholeDollars(figure.cents);
}

interface TraceStep {
  /** From the figure that was asked for down to the line that holds the part. */
  readonly path: readonly string[];
  /** Minus one where a line on the way is subtracted. */
  readonly sign: 1 | -1;
  readonly part: FigurePart;
}

/** Every part of a figure, with the lines on the way. */
export function traceOf(figure: Figure): readonly TraceStep[] {
  const steps: TraceStep[] = [];
  const walk = (at: Figure, path: readonly string[], sign: 1 | -1): void => {
    const here = [...path, at.name];
    for (const part of at.parts) steps.push({ path: here, sign, part });
    for (const { sign: next, figure: below } of at.from) walk(below, here, sign === next ? 1 : -1);
  };
  walk(figure, [], 1);
  return steps;
}

/** The cents of all parts: equal to the figure's own, or a part was lost on the way. */
export function tracedCents(figure: Figure): bigint {
  return traceOf(figure).reduce((sum, { sign, part }) => sum + BigInt(sign) * part.cents, 0n);
}

/** A trace as plain JSON, for auditors. */
export function traceDocument(figure: Figure): JsonValue {
  return {
    figure: figure.name,
    dollars: String(figure.dollars),
    cents: String(figure.cents),
    rounding_dollars: String(roundingOf(figure)),
    parts: traceOf(figure).map(({ path, sign, part }) => ({
      path,
      sign,
      id: part.id,
      cents: String(part.cents),
      payload_hash: part.payloadHash,
      idempotency_key: part.idempotencyKey,
      match_rule: part.matchRule ?? null,
      bank: part.bank.map(({ line, nativeId, bookedOn, cents, source }) => ({
        line,
        native_id: nativeId ?? null,
        booked_on: bookedOn,
        cents,
        feed: source.feed,
        feed_line: source.line,
      })),
    })),
  };
}
