export {
  feedEntriesOf,
  type GrantObligation,
  grantObligations,
  inOrderOfDates,
  registrationObligations,
} from './award-obligations.ts';
export { type AwardHolder, awardOf, missingForCalendar, subawardTermsOf } from './award-terms.ts';
