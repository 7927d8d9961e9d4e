/** What a person must look at although there is an answer. */
export interface Alarm {
  readonly code: AlarmCode;
  readonly message: string;
  /** Of a record that differs: the date that the rule gives, before any roll. */
  readonly rule_date?: string;
}

type AlarmCode =
  | 'STATE_RECORD_DIFFERS'
  | 'STATE_RECORD_PAST'
  | 'STATE_RECORD_NOT_COMPARED'
  | 'STATE_ASSIGNS_DATE'
  | 'INITIAL_REPORT_PAST'
  | 'LAST_DAY_PAST'
  | 'FORMED_AFTER_AS_OF'
  | 'DOMESTIC_RULE_BY_ANALOGY'
  | 'CYCLE_START_UNCERTAIN'
  | 'FEE_NOT_KNOWN'
  | 'NOTICE_PERIOD_OVER'
  | 'PORTAL_CLOSED_ON_DUE_DAY'
  | 'CALENDAR_NOT_COVERED'
  | 'CHOICE_NOT_GIVEN'
  | 'FISCAL_YEAR_END_ASSUMED'
  | 'FIRST_REPORT_DAY_NOT_GIVEN'
  | 'EXEMPTION_POSSIBLE'
  | 'OTHER_MONTH_POSSIBLE'
  | 'PROFESSIONAL_RULE_BY_DEFAULT'
  | 'REINSTATED'
  | 'FROM_MEMORY';
