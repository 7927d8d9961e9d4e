/** The fields of a docket event. */

/** `day`: YYYY-MM-DD. `labels`: a list, or texts with semicolons between them. `inputs`: an object of further facts. */
export type FieldShape = 'text' | 'day' | 'day_or_instant' | 'labels' | 'inputs';

export interface DocketColumn {
  readonly name: string;
  readonly needed: boolean;
  readonly shape: FieldShape;
  readonly meaning: string;
  /** Names under which other systems send it, in the spelling of `plainName`. */
  readonly alsoCalled: readonly string[];
}

export const DOCKET_COLUMNS = [
  column('application_number', true, 'text', 'number of the application at its office', [
    'applicationnumbertext',
    'applicationno',
    'applnumber',
    'applno',
    'appno',
    'appnumber',
    'applicationid',
    'serialnumber',
    'serialno',
  ]),
  column('filing_date', true, 'day', 'day on which the application was filed', [
    'filed',
    'filedon',
    'datefiled',
    'fileddate',
    'applicationdate',
    'datafiling',
    'filingdt',
  ]),
  column('event_code', true, 'text', 'what happened, as the office calls it', [
    'code',
    'eventtype',
    'documentcode',
    'doccode',
    'actioncode',
    'transactioncode',
  ]),
  column('event_date', false, 'day_or_instant', 'day from which the period runs', [
    'maildate',
    'mailingdate',
    'officialdate',
    'dateofnotification',
    'recorddate',
  ]),
  column('office', false, 'text', 'US, EP, WO or JP', []),
  column(
    'filing_country',
    false,
    'text',
    'country of the filing, from which the office follows',
    [],
  ),
  column('rule', false, 'text', 'rule for the deadline, where the event code does not say it', []),
  column('period', false, 'text', 'period printed in the action, for instance P3M', []),
  column('inputs', false, 'inputs', 'further facts that a rule needs', []),
  column('due_date', false, 'day', 'due date that the source states', []),
  column('final_date', false, 'day', 'last date that the source states', []),
  column('client', false, 'text', 'client, as the routing matrix calls it', []),
  column('technology_group', false, 'text', 'technology group, as the routing matrix calls it', []),
  column('matter', false, 'text', 'the firm’s own reference', []),
  column('classification', false, 'labels', 'classification tags', []),
  column('privilege', false, 'labels', 'privilege markers', []),
  column('title', false, 'text', 'what the event is about, for people', []),
] as const satisfies readonly DocketColumn[];

export const COLUMN_BY_NAME: ReadonlyMap<string, DocketColumn> = new Map(
  DOCKET_COLUMNS.map((one) => [one.name, one]),
);

function column(
  name: string,
  needed: boolean,
  shape: FieldShape,
  meaning: string,
  alsoCalled: readonly string[],
): DocketColumn {
  return { name, needed, shape, meaning, alsoCalled };
}
