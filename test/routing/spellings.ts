/** The same name or number as many hands write it. Every change here is one that a reader does not notice, or reads over. */
import * as fc from 'fast-check';

type Change = (text: string, dice: readonly number[]) => string;

const INVISIBLE = [
  '\u200b',
  '\u00ad',
  '\u2060',
  '\ufeff',
  '\u034f',
  '\u180e',
  '\u200d',
  '\u{e0020}',
];
const BLANKS = ['\u00a0', '\u2003', '\u3000', '  ', '\u202f'];

const inside =
  (signs: readonly string[]): Change =>
  (text, [at = 0, which = 0]) => {
    const letters = Array.from(text);
    letters.splice(
      1 + (at % Math.max(1, letters.length - 1)),
      0,
      signs[which % signs.length] ?? '',
    );
    return letters.join('');
  };

const mapped =
  (of: (letter: string) => string): Change =>
  (text) =>
    Array.from(text).map(of).join('');

/** Full-width, bold, double-struck: compatibility forms of the same letters. */
const fullWidth = mapped((one) =>
  /[!-~]/.test(one) ? String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0) : one,
);
const bold = mapped((one) =>
  /[a-z]/.test(one)
    ? String.fromCodePoint(0x1d41a + one.charCodeAt(0) - 97)
    : /[A-Z]/.test(one)
      ? String.fromCodePoint(0x1d400 + one.charCodeAt(0) - 65)
      : one,
);
const COMMON: readonly Change[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  fullWidth,
  inside(INVISIBLE),
  (text) => ` ${text}\u00a0`,
  (text) => text,
];

const CLIENT: readonly Change[] = [
  ...COMMON,
  bold,
  (text, [which = 0]) => text.replaceAll(' ', BLANKS[which % BLANKS.length] ?? ' '),
  (text) => text.replaceAll(/[.,]/g, ''),
  (text) => text.replace(/ (?=\S+$)/, ', '),
  (text) => text.replaceAll('.', ' '),
  (text) => `The ${text}`,
  (text) => `${text}®`,
  (text) => `"${text}"`,
];

const NUMBER: readonly Change[] = [
  ...COMMON,
  (text) => text.replaceAll('/', ''),
  (text) => text.replaceAll(/[/,.\s-]/g, ''),
  (text) => text.replaceAll('/', '-'),
  (text) => text.replaceAll('/', ' / '),
  (text) => text.replaceAll(',', ''),
];

/** Of another script, and the same to the eye. */
const TWINS: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  o: 'о',
  p: 'р',
  s: 'ѕ',
  i: 'і',
  A: 'Α',
  C: 'С',
  O: 'Ο',
  N: 'Ν',
  T: 'Т',
};

const dice = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 2 });

function changed(text: string, changes: readonly Change[]): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...changes), dice), { minLength: 1, maxLength: 3 })
    .map((chosen) => chosen.reduce((now, [change, thrown]) => change(now, thrown), text));
}

export const respelledClient = (name: string): fc.Arbitrary<string> => changed(name, CLIENT);
export const respelledNumber = (number: string): fc.Arbitrary<string> => changed(number, NUMBER);

/** At least one letter is another script's. */
export function disguised(name: string): fc.Arbitrary<string> {
  const places = Array.from(name).flatMap((letter, at) =>
    TWINS[letter] === undefined ? [] : [at],
  );
  return fc.subarray(places, { minLength: 1 }).map((chosen) =>
    Array.from(name)
      .map((letter, at) => (chosen.includes(at) ? (TWINS[letter] ?? letter) : letter))
      .join(''),
  );
}
