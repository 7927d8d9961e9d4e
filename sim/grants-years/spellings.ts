/** Names and references as the books have them, and as they arrive at a bank. */
import type { Draw } from '../world/draw.ts';

/** Names of the books; a bank may know each under another spelling. */
const PAYERS = [
  'The Harbor Foundation, Inc.',
  'Müller Family Foundation',
  'Smith & Daughters Charitable Trust',
  'Fundación Río Grande',
  'Northwind Community Fund',
  'Köhler-Strauß Stiftung',
  "St. Anne's Guild",
  'Blue Heron Partners LLC',
  'Eastside Rotary Club',
  'The Ångström Society',
  'Granite State Arts Council',
  'Lakeview Bancorp',
  'O’Neill Memorial Fund',
  'City of Springfield',
  'Department of Parks and Recreation',
  'Hawthorne Corporation',
  'Évariste Galois Endowment',
  'Pine Ridge Cooperative Co.',
] as const;

const FIRST = ['Ana', 'Björn', 'Chloé', 'David', 'Elena', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jörg'];
const LAST = ['Adams', 'Böhm', 'Castro', 'Dubois', 'Evans', 'Fröhlich', 'Garcia', 'Hansen', 'Ito'];

export function institution(draw: Draw): string {
  return draw.pick(PAYERS);
}

export function person(draw: Draw, n: number): string {
  return `${draw.pick(FIRST)} ${String.fromCodePoint(65 + (n % 26))}. ${draw.pick(LAST)}`;
}

/** As the wire carries it: capital letters, no accents, umlauts written out, no small marks. */
export function asWired(name: string): string {
  return asciiOf(name)
    .toUpperCase()
    .replaceAll(/[.,'’]/g, '');
}

const WRITTEN_OUT: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
};

function asciiOf(text: string): string {
  return text
    .replaceAll(/[äöüÄÖÜß]/g, (letter) => WRITTEN_OUT[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'");
}

const LEGAL_FORM = /,? (?:Inc\.?|LLC|Co\.|Corporation|Corp\.)$/i;

/** Another way in which a bank or the payer itself writes the name; still the same name to everybody who reads it. */
export function otherSpelling(draw: Draw, name: string): string {
  const way = draw.pick([
    'wired',
    'no form',
    'form',
    'no article',
    'marks',
    'lower',
    'base letters',
  ]);
  const bare = name.replace(LEGAL_FORM, '');
  switch (way) {
    case 'no form':
      return asWired(bare);
    case 'form':
      return LEGAL_FORM.test(name) ? asWired(name) : `${asWired(name)} INC`;
    case 'no article':
      return asWired(name.replace(/^The /, ''));
    case 'marks':
      return asciiOf(name).replaceAll(/[-&]/g, ' ').replaceAll(/ +/g, ' ').toUpperCase();
    case 'lower':
      return asciiOf(name).toLowerCase();
    case 'base letters':
      // Umlauts without their dots: ü becomes u.
      return name
        .normalize('NFD')
        .replaceAll(/\p{M}/gu, '')
        .replaceAll('ß', 'ss')
        .replaceAll('’', "'")
        .toUpperCase();
    default:
      return asWired(name);
  }
}

/** Blanks where a bank breaks its lines, or none where the payer typed some. */
export function withOtherBlanks(draw: Draw, reference: string): string {
  if (reference.includes(' ')) return reference.replaceAll(' ', '');
  const at = draw.int(2, reference.length - 2);
  return `${reference.slice(0, at)} ${reference.slice(at)}`;
}

/** As much as the field for a reference holds (EndToEndId: 35 characters). */
export const FIELD_CHARS = 35;
