/** Which format a feed is, from its first bytes; the file's name says nothing that could be relied on. */
import { encodingNamed, type FeedEncoding } from './decode.ts';
import type { FeedFormat } from './feed-events.ts';
import type { OfxVariant } from './ofx.ts';
import { quoted, refuse } from './refusal.ts';

/** As much of the beginning as is looked at: a camt namespace stands behind a declaration and perhaps a comment. */
export const HEAD_BYTES = 4096;

const START = { line: 1, column: 1 } as const;

/** Throws when it is none of the formats that are read. */
export function detectFormat(firstBytes: Uint8Array): FeedFormat {
  const text = headText(firstBytes);
  if (/^OFXHEADER\s*:/.test(text)) return 'ofx';
  if (text.startsWith('<')) return detectMarkup(text);
  if (text.startsWith('01,')) return 'bai2';
  if (/^101.{31}094101/.test(text)) return 'nacha';
  if (/^(?:\{1:|:20:)/.test(text)) return 'mt940';
  return refuse(START, {
    code: 'FEED_UNSUPPORTED',
    reason:
      text === ''
        ? 'the feed is empty'
        : `expected camt.053, camt.052, camt.054, OFX, BAI2, MT940 or NACHA, but the feed begins with ${quoted(text)}`,
  });
}

function detectMarkup(text: string): FeedFormat {
  const camt = /urn:iso:std:iso:20022:tech:xsd:(camt\.\d{3})\.001\.\d{2}/.exec(text)?.[1];
  if (camt === 'camt.053' || camt === 'camt.052' || camt === 'camt.054') return camt;
  if (/<\?OFX\s|<OFX[\s>]/.test(text)) return 'ofx';
  return refuse(START, {
    code: 'FEED_UNSUPPORTED',
    reason: `expected XML of camt.053, camt.052, camt.054 or OFX, but it begins with ${quoted(text)}`,
  });
}

interface OfxForm {
  readonly variant: OfxVariant;
  readonly encoding: FeedEncoding;
}

/** OFX 1.x says in its header how its text is encoded, 2.x in its XML declaration. */
export function ofxForm(firstBytes: Uint8Array): OfxForm {
  const text = headText(firstBytes);
  if (!/^OFXHEADER\s*:/.test(text)) return { variant: 'xml', encoding: xmlEncoding(firstBytes) };
  // The mark says more than the header, which programs copy without looking.
  if (hasUtf8Mark(firstBytes)) return { variant: 'sgml', encoding: 'utf-8' };
  const encoding = /\bENCODING:\s*([\w-]+)/.exec(text)?.[1]?.toUpperCase() ?? 'USASCII';
  const charset = /\bCHARSET:\s*([\w-]+)/.exec(text)?.[1]?.toUpperCase() ?? 'NONE';
  if (/^UTF-?8$/.test(encoding) || /^UTF-?8$/.test(charset)) {
    return { variant: 'sgml', encoding: 'utf-8' };
  }
  // ASCII is a part of each of them, so that the other of the two words decides.
  const named = [encoding, charset].filter((name) => name !== 'USASCII' && name !== 'NONE');
  const known = new Set(named.map(encodingNamed));
  const [only = 'utf-8'] = known;
  if (known.size <= 1 && !known.has(undefined)) return { variant: 'sgml', encoding: only };
  return refuse(START, {
    code: 'FEED_UNSUPPORTED',
    reason: `expected OFX in UTF-8, ASCII, ISO 8859-1 or Windows-1252, but its header says ENCODING ${quoted(encoding)}, CHARSET ${quoted(charset)}`,
  });
}

/** As the declaration says; UTF-8 without one, and where it names what the parser then refuses. */
export function xmlEncoding(firstBytes: Uint8Array): FeedEncoding {
  if (hasUtf8Mark(firstBytes)) return 'utf-8';
  const declared = /^<\?xml\s[^>]*?\bencoding\s*=\s*(["'])([\w.:-]+)\1/.exec(headText(firstBytes));
  return encodingNamed(declared?.[2] ?? '') ?? 'utf-8';
}

function hasUtf8Mark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function headText(firstBytes: Uint8Array): string {
  const head = firstBytes.subarray(0, HEAD_BYTES);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    refuse(START, {
      code: 'FEED_UNSUPPORTED',
      reason: 'expected text in UTF-8, but the feed begins with the mark of UTF-16',
      remedy: 'Convert the file to UTF-8',
    });
  }
  // Lenient here on purpose: the head may end inside a character, and the reader itself is strict.
  return new TextDecoder('utf-8').decode(head).trimStart();
}
