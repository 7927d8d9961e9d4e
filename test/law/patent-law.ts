import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { readPatentRules } from '../../src/dockets/rules/rules-file.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

export function shippedPatentLaw(): PatentLaw {
  const law = shippedLaw();
  return {
    rules: law.compiled('rules/patent.json', readPatentRules),
    calendars: law.calendars,
    relief: [],
  };
}
