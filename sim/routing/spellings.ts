/** The hands of many: one client and one number in spellings that a reader takes for the same, or for a twin. */
import type { Draw } from '../world/draw.ts';

/**
 * What the world knows of a client: `same`: the name, however written. `lookalike`: only to the eye, so a wall holds and a
 * right does not. `disguised`: letters of two scripts, for people who see everything. `absent`: nobody wrote it.
 */
export type Disguise = 'same' | 'lookalike' | 'disguised' | 'absent';

export interface SpelledClient {
  readonly name: string;
  readonly disguise: Disguise;
  readonly written: string | undefined;
}

const INVISIBLE = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u034f'];

const SAME: readonly ((name: string, draw: Draw) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => fullWidth(name),
  (name, draw) => between(name, draw, draw.pick(INVISIBLE)),
  (name, draw) => between(name, draw, '-'),
  (name, draw) =>
    `${name}${draw.pick([', Inc.', ' Inc', ' INCORPORATED', ' L.L.C.', ' GmbH', '®'])}`,
  (name) => `The ${name} Company`,
  (name) => `\u00a0${name}\u3000`,
];

const LOOKALIKE: readonly ((name: string, draw: Draw) => string)[] = [
  (name) => name.replace(/[oi]/, (letter) => (letter === 'o' ? '0' : '1')),
  (name) => name.replace(/[oa]/, (letter) => `${letter}\u0301`),
  (name) => `${name} and Tailspin`,
  (name) => `Tailspin (formerly ${name})`,
];

const TWINS: Readonly<Record<string, string>> = { o: 'о', a: 'а', i: 'і' };

export function spelledClient(name: string, draw: Draw): SpelledClient {
  const disguise = draw.weighted({ same: 12, lookalike: 2, disguised: 1, absent: 1 });
  return { name, disguise, written: writtenAs(disguise, name, draw) };
}

function writtenAs(disguise: Disguise, name: string, draw: Draw): string | undefined {
  switch (disguise) {
    case 'same':
      return draw.pick(SAME)(name, draw);
    case 'lookalike':
      return draw.pick(LOOKALIKE)(name, draw);
    case 'disguised':
      return name.replace(/[oai]/, (letter) => TWINS[letter] ?? letter);
    case 'absent':
      return undefined;
  }
}

/** By office and place in the world; no two are the same. */
export function plainNumber(office: 'US' | 'EP' | 'JP' | 'none', index: number): string {
  if (office === 'EP') return `2412345${index}`;
  return office === 'JP' ? `2025-50010${index}` : `18/30010${index}`;
}

export function spelledNumber(
  plain: string,
  office: 'US' | 'EP' | 'JP' | 'none',
  draw: Draw,
): string {
  const common = [
    plain,
    fullWidth(plain),
    between(plain, draw, draw.pick(INVISIBLE)),
    ` ${plain} `,
  ];
  const own = {
    US: [plain.replace('/', ''), `US ${plain}`, plain.replace(/(\d{3})$/, ',$1'), `USSN ${plain}`],
    EP: [`EP${plain}`, `EP ${plain.slice(0, 2)} ${plain.slice(2, 5)} ${plain.slice(5)}`],
    JP: [`JP${plain}`, plain.replace('-', ''), `特願${plain}`],
    // Nothing else says whose it is, so the slash must stay.
    none: [`US ${plain}`, plain.replace(/(\d{3})$/, ',$1')],
  };
  return draw.pick([...common, ...own[office]]);
}

function fullWidth(text: string): string {
  return text.replaceAll(/[!-~]/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0));
}

function between(text: string, draw: Draw, sign: string): string {
  const at = draw.int(1, text.length - 1);
  return `${text.slice(0, at)}${sign}${text.slice(at)}`;
}
