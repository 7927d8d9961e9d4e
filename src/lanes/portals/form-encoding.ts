import { type FormStructure, MULTIPART, URL_ENCODED } from './form-structure.ts';
import { sha256Of } from '../../core/index.ts';

export type Encoded =
  | { readonly kind: 'filled'; readonly body: Uint8Array; readonly contentType: string }
  | { readonly kind: 'payload'; readonly reason: string }
  | { readonly kind: 'form'; readonly reason: string };

type Pairs = readonly (readonly [name: string, value: string])[];

/** The bytes of a form as a browser would send them: in the charset and the encoding that its page asks for. */
export function encodeForm(
  form: Pick<FormStructure, 'enctype'>,
  pairs: Pairs,
  charset: string,
): Encoded {
  const write = writerOf(charset);
  const isMultipart = form.enctype === MULTIPART;
  if (!isMultipart && form.enctype !== URL_ENCODED) {
    return {
      kind: 'form',
      reason: `The form uses the encoding ${form.enctype}, which is not supported.`,
    };
  }
  const parts: (readonly [Buffer, Buffer])[] = [];
  for (const [name, value] of pairs) {
    // Browsers send every line break as CR LF, whatever the page or the person wrote.
    const [first, second] = [write(name), write(value.replaceAll(/\r\n?|\n/g, '\r\n'))];
    // Written in another charset, the portal would file something else under this name, and nobody would notice.
    if (first === undefined || second === undefined) {
      const reason = `${name} has characters that a form in ${charset} cannot carry.`;
      return { kind: 'payload', reason };
    }
    parts.push([first, second]);
  }
  if (isMultipart) return multipart(parts);
  const text = parts.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&');
  return { kind: 'filled', body: Buffer.from(text, 'latin1'), contentType: URL_ENCODED };
}

function multipart(parts: readonly (readonly [Buffer, Buffer])[]): Encoded {
  // Made from the content, so that the same form gives the same bytes; it cannot be foreseen by who wrote the content.
  const digest = sha256Of(Buffer.concat(parts.flat())).slice(0, 32);
  const boundary = `----filewright-${digest}`;
  const body = parts.flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="`, 'latin1'),
    Buffer.from(
      name.toString('latin1').replaceAll('\r\n', '%0D%0A').replaceAll('"', '%22'),
      'latin1',
    ),
    Buffer.from('"\r\n\r\n', 'latin1'),
    value,
    Buffer.from('\r\n', 'latin1'),
  ]);
  const end = Buffer.from(`--${boundary}--\r\n`, 'latin1');
  const contentType = `${MULTIPART}; boundary=${boundary}`;
  return { kind: 'filled', body: Buffer.concat([...body, end]), contentType };
}

/** The WHATWG form serialiser, byte by byte: letters, digits and `*-._` stay, a space is a plus. */
function escaped(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCodePoint(byte);
    if (/[A-Za-z0-9*\-._]/.test(character)) text += character;
    else text += byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/** Undefined for a text that the charset cannot carry. Of the others only those with one byte a character are written. */
function writerOf(charset: string): (text: string) => Buffer | undefined {
  // Nobody posts in UTF-16: browsers answer such pages in UTF-8.
  if (/^(?:utf-?8|utf-?16(?:le|be)?)$/i.test(charset)) return (text) => Buffer.from(text, 'utf8');
  let bytes: Map<string, number> | undefined;
  return (text) => {
    // oxlint-disable-next-line no-control-regex -- what is ASCII is the same in every charset of the web but UTF-16.
    if (/^[\u0000-\u007f]*$/.test(text)) return Buffer.from(text, 'latin1');
    bytes ??= singleBytes(charset);
    const written: number[] = [];
    for (const character of text) {
      const byte = bytes.get(character);
      if (byte === undefined) return undefined;
      written.push(byte);
    }
    return Buffer.from(written);
  };
}

function singleBytes(charset: string): Map<string, number> {
  const found = new Map<string, number>();
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    for (let byte = 0; byte < 256; byte += 1) {
      try {
        found.set(decoder.decode(Uint8Array.of(byte)), byte);
      } catch {
        // A byte that is no character of its own here.
      }
    }
  } catch {
    // A charset that nobody knows carries ASCII alone.
  }
  return found;
}
