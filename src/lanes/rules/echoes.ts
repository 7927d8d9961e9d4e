/**
 * Whose answer is it? Portals mix up sessions, caches hand out the page of somebody else, a proxy answers twice: a receipt
 * of the right shape may be another filing's. Where an answer names the filing that it speaks of, and the profile says
 * where, it has to name ours.
 */
import { decodeJson, type Echo, type Envelope, textAt } from '../../core/index.ts';

/** What our filing is called: its key, or what stands at a JSON pointer of its payload; undefined: nothing. */
export type Own = (of: string) => string | undefined;

/** The payload is read only when an echo asks for something in it. */
export function ownOf({ key }: Pick<Envelope, 'key'>, payload: Uint8Array | undefined): Own {
  let read: { readonly value: unknown } | undefined;
  return (of) => {
    if (of === 'key') return key;
    if (payload === undefined) return undefined;
    read ??= { value: decodeJson(payload) };
    return textAt(read.value, of);
  };
}

/** Whether the payload must be at hand to compare these. */
export function needPayload(echoes: readonly Echo[] | undefined): boolean {
  return echoes?.some(({ of }) => of !== 'key') === true;
}

/**
 * Why an answer is not proven to be about our filing; undefined when it is. `all`: whatever the profile says that an
 * answer carries must be there; without it only what is there counts, since a refusal may say little.
 */
export function strangerIn(
  echoes: readonly Echo[] | undefined,
  textOf: (place: string) => string | undefined,
  own: Own,
  { all }: { readonly all: boolean },
): 'OTHER_KEY' | 'OTHER_FILING' | 'ECHO_MISSING' | undefined {
  let isMissing = false;
  for (const { at, of } of echoes ?? []) {
    const expected = own(of);
    // The payload has nothing there: nothing that an answer could repeat.
    if (expected === undefined) continue;
    const found = textOf(at);
    if (found === undefined) isMissing = true;
    else if (of === 'key') {
      // Ours, and never spelled in another way.
      if (found !== expected) return 'OTHER_KEY';
    } else if (!isSameName(found, expected)) return 'OTHER_FILING';
  }
  return isMissing && all ? 'ECHO_MISSING' : undefined;
}

/** Letters and digits alone, whatever stands between them: `C-0012 345` is `c0012345`, and 0012 is 12. */
export function isSameName(one: string, other: string): boolean {
  const [a, b] = [bareName(one), bareName(other)];
  return a === '' || b === '' ? one === other : a === b;
}

function bareName(text: string): string {
  const bare = text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return /^\d+$/.test(bare) ? bare.replace(/^0+(?=\d)/, '') : bare;
}
