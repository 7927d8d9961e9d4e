export { feedEntriesOf, type GrantObligation, grantObligations } from './award-obligations.ts';
export { type AwardHolder, awardOf, missingForCalendar, subawardTermsOf } from './award-terms.ts';
