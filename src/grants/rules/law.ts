/** Everything the grants pack must know of the law, handed in as values. */
import type { NamedText, OfficeCalendar } from '../../calendar/index.ts';
import { type CharityLaw, readCharityLaw } from './charity-law.ts';
import { type DutiesLaw, readDutiesLaw } from './duties-law.ts';
import { type FederalLaw, readFederalLaw } from './federal-law.ts';
import { readReturnElements, type ReturnElements } from './form990-elements.ts';
import { type Form990Law, readForm990Law } from './form990-law.ts';
import { readSubawardLaw, type SubawardLaw } from './subaward-law.ts';

export interface GrantsLaw {
  readonly form990: Form990Law;
  readonly federal: FederalLaw;
  readonly charity: CharityLaw;
  readonly subawards: SubawardLaw;
  readonly duties: DutiesLaw;
  readonly elements: ReturnElements;
  /** Throws for a calendar that is not loaded. */
  readonly calendarOf: (code: string) => OfficeCalendar;
}

/** Where law files come from; builds each once. */
interface LawLibrary {
  compiled<Value>(name: string, make: (text: NamedText) => Value): Value;
  calendar(code: string): OfficeCalendar;
}

/** Each file is read when a rule first asks for it: a UEI check needs no table of states. */
export function grantsLawFrom(library: LawLibrary): GrantsLaw {
  return {
    get form990() {
      return library.compiled('rules/grants/form990.json', readForm990Law);
    },
    get federal() {
      return library.compiled('rules/grants/federal.json', readFederalLaw);
    },
    get charity() {
      return library.compiled('rules/grants/charity-registration.json', readCharityLaw);
    },
    get subawards() {
      return library.compiled('rules/grants/subawards.json', readSubawardLaw);
    },
    get duties() {
      return library.compiled('rules/grants/duties.json', readDutiesLaw);
    },
    get elements() {
      return library.compiled('rules/grants/form990-elements.json', readReturnElements);
    },
    calendarOf: (code) => library.calendar(code),
  };
}
