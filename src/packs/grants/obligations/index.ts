export {
  feedEntriesOf,
  type GrantObligation,
  grantObligations,
  inOrderOfDates,
  registrationObligations,
  type WithdrawnAward,
  withdrawnObligations,
} from './award-obligations.ts';
export { type AwardHolder, awardOf, missingForCalendar, subawardTermsOf } from './award-terms.ts';
