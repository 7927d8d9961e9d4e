/** Which content types every wire can carry. One that none can is the fault of its message, and of no target. */

/** AMQP 0-9-1 writes a content type as a short string, whose length is one byte. */
const CONTENT_TYPE_CHARACTERS_MAX = 255;

/** RFC 9110 § 5.5: visible ASCII, blanks and tabs. Bytes above it mean something else on each wire. */
const UNSENDABLE = /[^\t\x20-\x7e]/u;

/** What is wrong, with its place, in words that repeat nothing of it; undefined where every wire can carry it. */
export function contentTypeFault(text: string): string | undefined {
  const { length } = text;
  if (length === 0 || length > CONTENT_TYPE_CHARACTERS_MAX) {
    return `it has ${length} characters; 1 to ${CONTENT_TYPE_CHARACTERS_MAX} can be sent`;
  }
  const found = UNSENDABLE.exec(text);
  if (found === null) return undefined;
  const code = found[0].codePointAt(0) ?? 0;
  const what =
    code === 10 || code === 13
      ? 'a line break'
      : code < 32 || code === 127
        ? 'a control character'
        : 'a letter outside ASCII';
  return `${what} at character ${found.index + 1}`;
}
