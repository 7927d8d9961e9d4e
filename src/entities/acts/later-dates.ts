/** What an import says of dates on the state's record that are later than the law's: in its report, and as an alert. */
import type { Ids } from '../../core/index.ts';
import { raiseAlertIn } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { type LaterRecord, laterRecord } from '../rules/register/later-record.ts';
import type { EntityPlan } from './entity-plan.ts';

export interface LaterDate extends LaterRecord {
  readonly entity: string;
  readonly jurisdiction: string;
  readonly filingKind: string;
  readonly period: string;
}

/** Of what is new or has changed: what is as it was has been told. */
export function laterDates(plans: readonly EntityPlan[]): readonly LaterDate[] {
  return plans.flatMap(({ record, changes }) =>
    changes.flatMap((change) => {
      if (change.kind !== 'write' || change.state !== 'open' || change.owed.state !== 'open') {
        return [];
      }
      const { alarms, raw, filingKind, period } = change.owed;
      const later = laterRecord(alarms, raw);
      const { id: entity, jurisdiction } = record;
      return later === undefined ? [] : [{ entity, jurisdiction, filingKind, period, ...later }];
    }),
  );
}

const NAMED_MAX = 5;

/** In the transaction that writes them. */
export async function tellOfLater(
  run: Run,
  deps: { readonly tenant: string; readonly ids: Ids },
  later: readonly LaterDate[],
): Promise<void> {
  if (later.length === 0) return;
  const named = later
    .slice(0, NAMED_MAX)
    .map((one) => `${one.entity} ${one.filingKind} (record ${one.record}, law ${one.law})`);
  const more = later.length > NAMED_MAX ? ` and ${later.length - NAMED_MAX} more` : '';
  await raiseAlertIn(run, deps, {
    kind: 'state_record_later',
    subject: 'register',
    severity: 'warning',
    text: `The state’s record shows a later date than the law: ${named.join(', ')}${more}. File by the law’s date until the office has confirmed the later one; see all with: filewright obligation list`,
    dedup: 'state_record_later',
    hasNews: true,
  });
}
