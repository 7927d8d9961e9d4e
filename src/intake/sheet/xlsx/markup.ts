/** Reads one part of a workbook as a stream of elements; names come without their prefix. */
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';
import { badInput, overLimit } from '../../../core/index.ts';
import { TOKEN_CHARACTERS_MAX } from './limits.ts';

export type Attributes = Readonly<Record<string, string>>;

interface Elements {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Yields after every chunk, so that what its elements said can be passed on before the next is read. */
export async function* readMarkup(
  source: AsyncIterable<Uint8Array>,
  elements: Elements,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw badInput(`is not well-formed XML: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw badInput('has a DOCTYPE, which can define texts that grow without bound');
  });
  parser.on('opentag', (tag) => elements.open(local(tag.name), tag.attributes));
  parser.on('text', (text) => elements.text(text));
  parser.on('cdata', (text) => elements.text(text));
  parser.on('closetag', (tag) => elements.close(local(tag.name)));
  const decoder = new StringDecoder('utf8');
  let unbroken = 0;
  for await (const chunk of source) {
    // A Buffer is what a stream of bytes gives; the decoder asks for nothing else.
    const text = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    // The parser keeps a text until the next sign of markup; one without an end would fill the heap.
    const sign = text.lastIndexOf('<');
    unbroken = sign === -1 ? unbroken + text.length : text.length - sign;
    if (unbroken > TOKEN_CHARACTERS_MAX) {
      throw overLimit(
        `Expected at most ${TOKEN_CHARACTERS_MAX} characters in one text, found more.`,
      );
    }
    parser.write(text);
    yield;
  }
  parser.write(decoder.end());
  parser.close();
  yield;
}

function local(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}
