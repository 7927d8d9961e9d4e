import { LogVerifier, type VerifyOutcome, type VerifyRequest } from './log-verifier.ts';

/** Checks a whole log against a head whose signature somebody else has checked, or against none. */
export async function verifyEntries(
  entries: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  request: VerifyRequest,
): Promise<VerifyOutcome> {
  const verifier = new LogVerifier(request);
  if (!verifier.wantsMore) return verifier.finish();
  for await (const bytes of entries) if (!verifier.push(bytes)) break;
  return verifier.finish();
}
