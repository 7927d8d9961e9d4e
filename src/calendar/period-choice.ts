/**
 * Limits that the law gives as the later or the earlier of two periods with starts of their own (PCT Rule 54bis.1;
 * 37 CFR 1.55(d)(1); Rule 136(1) EPC). Both ends are found without a roll, one is taken, and only that one rolls.
 */
import { type OnePeriod, parsePeriod } from './period.ts';

export interface PeriodFrom {
  readonly kind: 'from';
  readonly text: string;
  readonly period: OnePeriod;
  /** `trigger`, or the name of an input of the case. */
  readonly from: string;
}

export interface PeriodChoice {
  readonly kind: 'choice';
  readonly text: string;
  readonly pick: 'later' | 'earlier';
  readonly parts: readonly [ChoicePart, ChoicePart, ...ChoicePart[]];
}

type ChoicePart = PeriodFrom | PeriodChoice;

/** The law nests them once; what is nested deeper is no limit of any law. */
const DEPTH_MAX = 3;
/** Longer than any text of this form. */
const TEXT_MAX = 500;
const CHOICE = /^(later|earlier)\((.*)\)$/;
const FROM = /^(\S+) from ([a-z][a-z0-9_]*)$/;

/** `later(P2M from trigger; P32M from priority_date)`; undefined for anything else. */
export function parsePeriodChoice(text: string): PeriodChoice | undefined {
  const part = text.length > TEXT_MAX ? undefined : partOf(text.trim(), DEPTH_MAX);
  return part?.kind === 'choice' ? part : undefined;
}

function partOf(text: string, depth: number): ChoicePart | undefined {
  const match = CHOICE.exec(text);
  if (match === null) return fromOf(text);
  if (depth === 0) return undefined;
  const found: ChoicePart[] = [];
  for (const piece of piecesOf(match[2] ?? '')) {
    const part = partOf(piece.trim(), depth - 1);
    if (part === undefined) return undefined;
    found.push(part);
  }
  const [first, second, ...more] = found;
  if (first === undefined || second === undefined) return undefined;
  const pick = match[1] === 'later' ? 'later' : 'earlier';
  return { kind: 'choice', text, pick, parts: [first, second, ...more] };
}

function fromOf(text: string): PeriodFrom | undefined {
  const match = FROM.exec(text);
  const period = parsePeriod(match?.[1] ?? '');
  const [one] = period?.inARow ?? [];
  if (one === undefined || period?.inARow.length !== 1) return undefined;
  return { kind: 'from', text, period: one, from: match?.[2] ?? '' };
}

/** What stands between semicolons, those inside brackets aside. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ';' && depth === 0) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)];
}

/** The inputs of a case that the limit starts from, each once. */
export function startsOf(choice: PeriodChoice): readonly string[] {
  const names = choice.parts.flatMap((part) =>
    part.kind === 'from' ? [part.from] : startsOf(part),
  );
  return [...new Set(names)].filter((name) => name !== 'trigger');
}
