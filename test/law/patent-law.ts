import { type PatentLaw, readPatentRules } from '../../src/packs/patent/index.ts';
import { shippedLaw } from '../../src/system/law/index.ts';

export function shippedPatentLaw(): PatentLaw {
  const law = shippedLaw();
  return {
    rules: law.compiled('rules/patent.json', readPatentRules),
    calendars: law.calendars,
    relief: [],
  };
}
