/** What a file is by its first bytes, where it is something else than was asked for. Pure. */

interface WrongFile {
  readonly kind:
    | 'pdf'
    | 'page'
    | 'image'
    | 'old-workbook'
    | 'workbook'
    | 'archive'
    | 'feed'
    | 'xml';
  /** As part of a sentence. */
  readonly what: string;
  readonly remedy: string;
}

const PAGE: WrongFile = {
  kind: 'page',
  what: 'a web page, perhaps the login page of the site',
  remedy: 'Sign in again, download the file, and open it once to see that it is the table',
};
const FEED = 'Import it with grants feed';

/** Undefined for what may be a text or a table. */
export function looksLike(head: Uint8Array): WrongFile | undefined {
  const magic = Buffer.from(head.subarray(0, 8)).toString('latin1');
  if (magic.startsWith('%PDF-')) {
    return {
      kind: 'pdf',
      what: 'a PDF',
      remedy: 'Download the same as CSV or XLSX; a PDF is for reading, not for figures',
    };
  }
  if (magic.startsWith('\u0089PNG') || magic.startsWith('\u00ff\u00d8\u00ff')) {
    return { kind: 'image', what: 'a picture', remedy: 'Download the table as CSV or XLSX' };
  }
  if (magic.startsWith('\u00d0\u00cf\u0011\u00e0')) {
    return {
      kind: 'old-workbook',
      what: 'a workbook of an older kind (.xls), or one with a password',
      remedy: 'Save it as .xlsx without a password, or as CSV',
    };
  }
  if (magic.startsWith('PK\u0003\u0004')) {
    // The parts of a workbook come in whichever order its program writes them.
    const isWorkbook = /\[Content_Types\]\.xml|_rels\/|xl\/|docProps\//.test(
      Buffer.from(head).toString('latin1'),
    );
    return isWorkbook
      ? { kind: 'workbook', what: 'a workbook', remedy: 'Save it as CSV' }
      : { kind: 'archive', what: 'a ZIP archive', remedy: 'Unpack it and import the files in it' };
  }
  return ofText(textOf(head));
}

function ofText(text: string): WrongFile | undefined {
  if (/^<(?:!doctype\s+html|html|head|body|script)\b/i.test(text)) return PAGE;
  const camt = /urn:iso:std:iso:20022:tech:xsd:(camt\.\d{3})/.exec(text)?.[1];
  if (camt !== undefined) {
    return { kind: 'feed', what: `a bank statement in ${camt}`, remedy: FEED };
  }
  if (/^OFXHEADER\s*:/.test(text) || /^<(?:\?xml[^>]*>\s*)?<?(?:\?OFX|OFX)\b/.test(text)) {
    return { kind: 'feed', what: 'a bank statement in OFX', remedy: FEED };
  }
  if (/^(?:\{1:|:20:)/.test(text)) {
    return { kind: 'feed', what: 'a bank statement in MT940', remedy: FEED };
  }
  if (/^01,[^\n]*\/\s*\r?\n02,/.test(text)) {
    return { kind: 'feed', what: 'a bank statement in BAI2', remedy: FEED };
  }
  if (/^101.{31}094101/.test(text)) {
    return { kind: 'feed', what: 'a NACHA file', remedy: FEED };
  }
  return text.startsWith('<')
    ? { kind: 'xml', what: 'XML', remedy: 'Import it in its own format' }
    : undefined;
}

/** In whichever of the encodings tables come in: only Latin letters are looked for. */
function textOf(head: Uint8Array): string {
  const [one, two] = head;
  const encoding =
    one === 0xff && two === 0xfe ? 'utf-16le' : one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(head).trimStart();
}
