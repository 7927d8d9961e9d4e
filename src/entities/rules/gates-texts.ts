/**
 * Control characters and white space at the ends of texts. A portal rejects them or, worse, stores them; so they are taken
 * out before anything is hashed, and every change is told with the bytes before and after it.
 */
import type { JsonValue } from '../../core/index.ts';
import { controlFault, escapeStep } from './characters.ts';
import type { GateChange, GateFinding } from './gates-report.ts';

// U+0000 to U+001F and U+007F to U+009F.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- as above.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
// Tabs and line breaks, among others: between two words they are what keeps the words apart.
// oxlint-disable-next-line no-control-regex -- as above.
const SPACING_CONTROLS = /[\t\n\v\f\r\u0085]+/g;
// A person compares these with what the source shows; the place says where to look.
const SHOWN_BYTES_MAX = 48;

interface Cleaned<Value> {
  readonly value: Value;
  readonly changes: readonly GateChange[];
  readonly refusals: readonly GateFinding[];
}

/** `start`: white space before the first character goes too. A name of a member is never changed: it could meet another. */
export function cleanTexts<Value extends JsonValue>(
  value: Value,
  options: { readonly start: boolean },
  at = '',
): Cleaned<Value> {
  const changes: GateChange[] = [];
  const refusals: GateFinding[] = [];
  const walk = (inner: JsonValue, field: string): JsonValue => {
    if (typeof inner === 'string') return cleanText(inner, field, options.start, changes);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map((each, index) => walk(each, `${field}/${index}`));
    // The depth is bounded by the strict JSON reader (64 levels).
    return Object.fromEntries(
      Object.entries(inner).map(([name, each]) => {
        const fault = controlFault(name);
        if (fault !== undefined) {
          refusals.push({ code: 'CONTROL_CHARACTERS', field, why: `has a key that ${fault}` });
        }
        return [name, walk(each, `${field}/${escapeStep(name)}`)];
      }),
    );
  };
  // The same shape as before: only texts were replaced by texts.
  return { value: walk(value, at) as Value, changes, refusals };
}

/** The text without them; adds to `changes` what was done. Cleaning a clean text changes nothing. */
export function cleanText(
  text: string,
  field: string,
  start: boolean,
  changes: GateChange[],
): string {
  const visible = CONTROL.test(text)
    ? text.replaceAll(SPACING_CONTROLS, ' ').replaceAll(CONTROLS, '')
    : text;
  if (visible !== text) changes.push(change('CONTROL_CHARACTERS', field, text, visible));
  const ended = visible.trimEnd();
  if (ended !== visible) changes.push(change('TRAILING_WHITESPACE', field, visible, ended));
  const begun = start ? ended.trimStart() : ended;
  if (begun !== ended) changes.push(change('LEADING_WHITESPACE', field, ended, begun));
  return begun;
}

function change(
  code: GateChange['code'],
  field: string,
  before: string,
  after: string,
): GateChange {
  let same = 0;
  while (same < after.length && before[same] === after[same]) same += 1;
  const at = { character: same + 1, before: hexFrom(before, same), after: hexFrom(after, same) };
  const why = `character ${at.character}: bytes ${at.before} became ${at.after === '' ? 'nothing' : at.after}`;
  return { code, field, why, before: at.before, after: at.after };
}

/** UTF-8 in hex from a character on. */
function hexFrom(text: string, at: number): string {
  const bytes = Buffer.from(text.slice(at, at + SHOWN_BYTES_MAX), 'utf8');
  const cut = bytes.subarray(0, SHOWN_BYTES_MAX).toString('hex');
  return bytes.length > SHOWN_BYTES_MAX || text.length > at + SHOWN_BYTES_MAX ? `${cut}…` : cut;
}
