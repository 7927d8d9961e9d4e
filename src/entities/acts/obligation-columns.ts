/** An obligation as the rules give it, as the columns it is stored in. */
import type { JsonValue } from '../../core/index.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { Owed } from '../rules/register/owed.ts';
import type { ObligationColumns, ObligationState } from '../store/obligations.ts';

export function columnsOf(
  owed: Owed,
  record: EntityRecord,
  state: ObligationState,
  ver: number,
): ObligationColumns {
  const answer = owed.state === 'open' ? owed.answer : undefined;
  return {
    id: owed.id,
    entity: record.id,
    jurisdiction: record.jurisdiction,
    registryNumber: record.registryNumber,
    sort: owed.sort,
    filingKind: owed.filingKind,
    period: owed.period,
    state,
    asOf: owed.asOf,
    ruleId: owed.ruleId,
    ruleVersion: owed.ruleVersion,
    calendarVersion: owed.calendarVersion,
    raw: owed.state === 'open' ? owed.raw : undefined,
    notBefore: answer?.not_before,
    due: answer?.due,
    final: answer?.final,
    penaltyFreeUntil: answer?.penalty_free_until,
    scheduleBy: answer?.schedule_by,
    cutoff: answer?.cutoff,
    feeCents: owed.state === 'open' ? owed.feeCents : undefined,
    confidence: answer?.confidence ?? 'low',
    answer: storedAnswer(owed),
    ver,
  };
}

/** Without what stands in columns of its own. Through JSON, which leaves out what is undefined. */
function storedAnswer(owed: Owed): Readonly<Record<string, JsonValue>> {
  if (owed.state !== 'open') return { reason: owed.reason };
  const {
    rule_id: _rule,
    rule_version: _version,
    calendar_version: _calendar,
    ...answer
  } = owed.answer;
  const whole = { ...answer, alarms: owed.alarms, tax: owed.tax };
  // An object goes in, so an object comes out.
  return JSON.parse(JSON.stringify(whole)) as Readonly<Record<string, JsonValue>>;
}
