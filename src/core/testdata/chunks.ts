/** Bytes as a source gives them: in pieces of any size. */
export async function* chunksOf(
  input: string | Uint8Array,
  size = 64 * 1024,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(input);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
