/** Standard base64 with padding (RFC 4648 § 4), the only spelling that notes, keys and proofs use. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * The bytes of a base64 text; undefined when the text is not what these bytes are written as. Node skips what it
 * does not know and ignores loose bits at the end, so without this one signature would have many spellings.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
