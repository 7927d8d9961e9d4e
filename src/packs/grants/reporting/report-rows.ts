/** Rows of schedules as auditors get them, by the names of their columns; part of what the hash of a report proves. */
import type { Figure } from './figure.ts';
import type { ScheduleI } from './schedule-i.ts';
import type { IndividualsRow } from './schedule-i-individuals.ts';
import type { Sefa, SefaTotals } from './sefa.ts';

export type ReportRow = Readonly<Record<string, string>>;

export interface Schedules {
  readonly scheduleI?: ScheduleI;
  /** Part III of Schedule I. */
  readonly individuals?: readonly IndividualsRow[];
  readonly sefa?: Sefa;
}

/** Undefined for a report that has figures only. */
export function reportRows({
  scheduleI,
  individuals,
  sefa,
}: Schedules): readonly ReportRow[] | undefined {
  if (scheduleI !== undefined) {
    return [...scheduleI.rows.map(scheduleRow), ...(individuals ?? []).map(individualsRow)];
  }
  return sefa?.rows.map((row) => ({
    assistance_listing: row.assistanceListing,
    title: row.title ?? '',
    cluster: row.cluster ?? '',
    pass_through: row.passThrough ?? '',
    expended: String(row.expended.dollars),
    to_subrecipients: String(row.toSubrecipients.dollars),
  }));
}

/** Schedule I Part II lines 2 and 3, and how many recipients are in the total without a row. */
export function scheduleCounts({
  scheduleI,
}: Schedules): Readonly<Record<string, number>> | undefined {
  if (scheduleI === undefined) return undefined;
  const { Total501c3OrgCnt, TotalOtherOrgCnt, unlisted } = scheduleI;
  return { Total501c3OrgCnt, TotalOtherOrgCnt, unlisted };
}

/** Programs, then clusters, then everything. */
export function sefaTotalFigures({ programTotals, clusterTotals, total }: Sefa): readonly Figure[] {
  const figuresOf = ({ expended, toSubrecipients }: SefaTotals): readonly Figure[] => [
    expended,
    toSubrecipients,
  ];
  return [...programTotals.values(), ...clusterTotals.values(), total].flatMap(figuresOf);
}

function scheduleRow(row: ScheduleI['rows'][number]): ReportRow {
  return {
    RecipientBusinessName: row.RecipientBusinessName,
    RecipientEIN: row.RecipientEIN ?? '',
    IRCSectionDesc: row.IRCSectionDesc ?? '',
    City: row.city ?? '',
    State: row.state ?? '',
    ZIP: row.zip ?? '',
    CashGrantAmt: String(row.CashGrantAmt.dollars),
    NonCashAssistanceAmt: String(row.NonCashAssistanceAmt.dollars),
    PurposeOfGrantTxt: row.PurposeOfGrantTxt ?? '',
  };
}

function individualsRow(row: IndividualsRow): ReportRow {
  return {
    GrantTypeTxt: row.GrantTypeTxt,
    RecipientCnt: String(row.RecipientCnt),
    CashGrantAmt: String(row.CashGrantAmt.dollars),
    NonCashAssistanceAmt: String(row.NonCashAssistanceAmt.dollars),
  };
}
