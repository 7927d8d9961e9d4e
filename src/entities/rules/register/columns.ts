/** The columns of a register file. Every further column goes into the payload's `fields` unchanged. */
import type { RowReader } from '../../../core/index.ts';

type RegisterColumn = RowReader['columns'][number];

const needed = (name: string, meaning: string): RegisterColumn => ({ name, needed: true, meaning });
const optional = (name: string, meaning: string): RegisterColumn => ({
  name,
  needed: false,
  meaning,
});

export const REGISTER_COLUMNS: readonly RegisterColumn[] = [
  needed('jurisdiction', 'The code of the jurisdiction, for instance US-DE.'),
  needed('registry_number', 'The registry number of the entity.'),
  needed('entity_name', 'The name as registered; kept sealed.'),
  needed('entity_kind', 'corporation, llc, lp, llp, nonprofit, pc or pllc.'),
  needed('origin', 'domestic, or foreign: formed elsewhere and registered here.'),
  optional('entity_id', 'Your own id for the entity (default: jurisdiction and registry number).'),
  optional('formation_date', 'Formation; for a foreign entity the registration in that state.'),
  optional('fiscal_year_end', 'Month and day, as 06-30, where the due date depends on it.'),
  optional(
    'tax_class',
    'c or s (LLCs: also partnership or disregarded); decides the date in Alabama and South Carolina.',
  ),
  optional('filing_date_choice', 'South Dakota: anniversary_month or january_31.'),
  optional('rule_id', 'A rule chosen by a person where none is on file, as US-TX.llc.domestic.'),
  optional('state_record_due', 'The date on the state’s record; it overrides the rule.'),
  optional('agent_email', 'Email address that is notified when a filing is accepted.'),
  optional(
    'payment_reference',
    'Reference to the payment data, as vault:cards/7; never a card number.',
  ),
  optional('authorized', 'Delaware: share classes as 5000000@0.0001; 100@none.'),
  optional('issued', 'Delaware: issued shares.'),
  optional('gross_assets', 'Delaware: total gross assets in dollars.'),
  optional('large_filer', 'Delaware: true for a large corporate filer.'),
  optional('preceding_year_tax', 'Delaware: decides about estimated payments.'),
];

/** `state_record_due.initial_report`: the record's date of one filing kind. */
export const RECORD_DUE_PREFIX = 'state_record_due.';
