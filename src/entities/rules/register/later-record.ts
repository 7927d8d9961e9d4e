/**
 * A date on the state's record that is later than the law's. The record controls, and may all the same be a slip: who files by it is
 * late by the law. So it is an alarm wherever the date is shown.
 */
import type { JsonValue } from '../../../core/index.ts';

export interface LaterRecord {
  /** As the state's record has it. */
  readonly record: string;
  /** As the rule gives it. */
  readonly law: string;
}

/** From what was computed, as it is kept. `raw` is the date before any roll. */
export function laterRecord(
  alarms: JsonValue | readonly object[] | undefined,
  raw: string | undefined,
): LaterRecord | undefined {
  if (!Array.isArray(alarms) || raw === undefined) return undefined;
  for (const alarm of alarms) {
    const { code, rule_date: law } = Object(alarm) as Readonly<Record<string, unknown>>;
    // ISO days compare as texts.
    if (code === 'STATE_RECORD_DIFFERS' && typeof law === 'string' && law < raw) {
      return { record: raw, law };
    }
  }
  return undefined;
}

export function laterRecordWords({ record, law }: LaterRecord): string {
  return `the state’s record shows ${record}, which is later than ${law}, the date that the law gives; file by ${law} until the office has confirmed the later one`;
}
