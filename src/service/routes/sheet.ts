/** How a table in an upload is read: the answers that the command line takes as options. */
import { type Static, Type } from 'typebox';
import type { SheetChoices } from '../../intake/index.ts';
import { FLAG } from './kit.ts';

const WORD = Type.String({ minLength: 1, maxLength: 200 });

export const SHEET = {
  dry_run: Type.Optional(FLAG),
  sheet: Type.Optional(WORD),
  accept_map: Type.Optional(FLAG),
  hidden_rows: Type.Optional(Type.Union([Type.Literal('read'), Type.Literal('skip')])),
  /** `ours=theirs`, once for each column. */
  map: Type.Optional(Type.Array(Type.String({ pattern: '^[^=]+=.+$' }), { maxItems: 100 })),
  extra: Type.Optional(Type.Array(WORD, { maxItems: 100 })),
  set: Type.Optional(Type.Array(Type.String({ pattern: '^[^=]+=.*$' }), { maxItems: 100 })),
};

const Given = Type.Object(SHEET);

export function sheetChoices(query: Static<typeof Given>): SheetChoices {
  return {
    ...(query.sheet !== undefined && { sheet: query.sheet }),
    ...(query.accept_map === true && { acceptMap: true }),
    ...(query.hidden_rows !== undefined && { hiddenRows: query.hidden_rows }),
    ...(query.map !== undefined && { mapping: pairs(query.map) }),
    ...(query.extra !== undefined && { extra: query.extra }),
    ...(query.set !== undefined && { set: pairs(query.set) }),
  };
}

function pairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
