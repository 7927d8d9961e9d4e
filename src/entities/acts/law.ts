/** The law and the portal hours that ship with the program, as the register's rules need them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpeningHours, toRfc3339 } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { readDelawareRates } from '../rules/law/delaware-rates.ts';
import { readEntityRules } from '../rules/law/read-entity-rules.ts';
import type { RegisterLaw } from '../rules/register/owed.ts';
import { readProfile } from '../../lanes/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import { lawIn, type ShippedLaw, shippedLaw } from '../../system/index.ts';

/** `folder` holds another law of the same layout: what a change of rules would do can be seen before it is shipped. */
export function registerLaw(folder?: string): RegisterLaw {
  const law: ShippedLaw = folder === undefined ? shippedLaw() : lawIn(folder);
  const rules = law.compiled('rules/entity.json', readEntityRules);
  const kept = new Map<string, OpeningHours | undefined>();
  return {
    rules,
    rates: law.compiled('rules/delaware-franchise-tax.json', readDelawareRates),
    businessDays: law.calendar(rules.businessDayCalendar),
    calendarOf: (code) => law.calendar(code),
    hoursOf: (profile) => {
      if (!kept.has(profile)) kept.set(profile, hoursIn(profile));
      return kept.get(profile);
    },
  };
}

function hoursIn(profile: string): OpeningHours | undefined {
  const path = join(packageRoot(), 'profiles', `${profile}.json`);
  return readProfile(readFileSync(path), path).hours;
}

/** The day in UTC: in the United States it is never later, so nothing is taken for past that is not. */
export function today(app: Pick<Installation, 'clock'>): string {
  return toRfc3339(app.clock.now()).slice(0, 10);
}
