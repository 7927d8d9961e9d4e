/** `--set field=text`, `--set-json field=json` and `--unset field`, of the commands that correct a payload. */
import { misuse, parseStrictJson } from '../core/index.ts';
import type { FieldEdit } from '../filings/index.ts';
import type { Command } from './command.ts';

export interface FieldOptions {
  readonly set: readonly string[];
  readonly setJson: readonly string[];
  readonly unset: readonly string[];
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function addFieldOptions(command: Command): Command {
  return command
    .option('--set <field=text>', 'entity_name=..., fields.agent=...; may be repeated', collect, [])
    .option('--set-json <field=json>', 'fee_cents=17500; may be repeated', collect, [])
    .option('--unset <field>', 'remove a field; may be repeated', collect, []);
}

export function fieldEdits(own: FieldOptions): FieldEdit[] {
  return [
    ...own.set.map((each): FieldEdit => {
      const [at, value] = pairOf('--set', each);
      return { at, value };
    }),
    ...own.setJson.map((each): FieldEdit => {
      const [at, value] = pairOf('--set-json', each);
      return { at, value: parseStrictJson(value) };
    }),
    ...own.unset.map((at): FieldEdit => ({ at, value: undefined })),
  ];
}

export function pairOf(option: string, text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw misuse(`${option}: expected name=value, found "${text}"`);
}
