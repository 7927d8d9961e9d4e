/** What a portal names as wrong with a filing, read from its answer. */
import { decodeJson, pointer } from '../../core/index.ts';

export interface Violation {
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
}

const VIOLATIONS_MAX = 100;
const TEXT_MAX = 500;

/** `errors` or `violations` of a JSON answer, else its own code. */
export function violationsOf(body: Uint8Array | undefined): readonly Violation[] {
  const answer = body === undefined ? undefined : decodeJson(body);
  for (const name of ['/errors', '/violations', '/invalid-params']) {
    const list = pointer(answer, name);
    if (!Array.isArray(list)) continue;
    return list.slice(0, VIOLATIONS_MAX).flatMap((item: unknown) => {
      const code = textOf(item, ['/code', '/type', '/name', '/reason']);
      const field = textOf(item, ['/field', '/pointer', '/path']);
      const message = textOf(item, ['/message', '/detail']);
      if (code === undefined && message === undefined) return [];
      return [
        {
          code: code ?? 'UNNAMED',
          ...(field === undefined ? {} : { field }),
          ...(message === undefined ? {} : { message }),
        },
      ];
    });
  }
  const code = textOf(answer, ['/code', '/error']);
  return code === undefined ? [] : [{ code }];
}

function textOf(value: unknown, places: readonly string[]): string | undefined {
  for (const place of places) {
    const found = pointer(value, place);
    if (typeof found === 'string' && found !== '') return found.slice(0, TEXT_MAX);
  }
  return undefined;
}
