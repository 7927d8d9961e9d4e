import type { PatentLaw } from '../rules/matter.ts';
import { sha256Of } from '../../core/index.ts';

/** One text for the whole law: another rule file, calendar or relief is another version. */
export function lawVersion({ rules, calendars, relief }: PatentLaw): string {
  const parts = [
    rules.version,
    ...[...calendars.values()].map(({ code, version }) => `${code}@${version}`).toSorted(),
    JSON.stringify(relief),
  ];
  return sha256Of(parts.join('\n'));
}
