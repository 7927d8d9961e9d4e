import { createHash } from 'node:crypto';
import type { PatentLaw } from '../packs/patent/index.ts';

/** One text for the whole law: another rule file, calendar or relief is another version. */
export function lawVersion({ rules, calendars, relief }: PatentLaw): string {
  const parts = [
    rules.version,
    ...[...calendars.values()].map(({ code, version }) => `${code}@${version}`).toSorted(),
    JSON.stringify(relief),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
