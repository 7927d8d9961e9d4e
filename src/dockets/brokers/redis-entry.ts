/** An entry of a Redis stream as a message. Pure. */
import { instant, sha256Of } from '../../core/index.ts';
import { type BrokerMessage, messageIdOf } from './message.ts';

/** Id and fields (names and values in turn); no fields when the entry was trimmed away while it was pending. */
export type StreamEntry = readonly [id: Buffer, fields: readonly Buffer[] | null];

/** The field that holds the message, and the one that names it. */
const PAYLOAD_FIELD = 'payload';
const MESSAGE_ID_FIELD = 'message_id';
const CONTENT_TYPE_FIELD = 'content_type';

/**
 * An entry with a field `payload` is that field's bytes. Any other entry is a record by itself: the JSON object of its
 * fields, or the list of them when a name comes twice, so that nothing is dropped.
 */
export function toMessage(
  [id, fields]: readonly [Buffer, readonly Buffer[]],
  stream: string,
  isRepeat: boolean,
): BrokerMessage {
  const pairs = pairsOf(fields);
  const field = (name: string) => pairs.find(([key]) => key.toString('utf8') === name)?.[1];
  const payload = field(PAYLOAD_FIELD);
  const bytes = payload ?? recordOf(pairs);
  return {
    id: messageIdOf(field(MESSAGE_ID_FIELD)?.toString('utf8'), bytes),
    bytes,
    sha256: sha256Of(bytes),
    contentType:
      payload === undefined ? 'application/json' : field(CONTENT_TYPE_FIELD)?.toString('utf8'),
    sentAt: instant(entryMs(id.toString('latin1'))),
    isRepeat,
    source: stream,
  };
}

/** Milliseconds in an entry's id: the time of Redis when it was added, unless the sender chose the id. */
export function entryMs(id: string): number {
  return Number(id.split('-')[0]);
}

function pairsOf(fields: readonly Buffer[]): readonly (readonly [Buffer, Buffer])[] {
  return fields.flatMap((name, index) => {
    const value = fields[index + 1];
    return index % 2 === 0 && value !== undefined ? [[name, value] as const] : [];
  });
}

function recordOf(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  const texts = pairs.map(([name, value]) => [name.toString('utf8'), value.toString('utf8')]);
  const names = new Set(texts.map(([name]) => name));
  // A null prototype: a field may be called anything.
  const record: unknown =
    names.size === texts.length
      ? Object.assign(Object.create(null), Object.fromEntries(texts))
      : texts;
  return Buffer.from(JSON.stringify(record), 'utf8');
}
