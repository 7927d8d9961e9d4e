/** Rows of schedules as auditors get them, by the names of their columns; part of what the hash of a report proves. */
import type { Figure } from './figure.ts';
import type { ScheduleI } from './schedule-i.ts';
import type { IndividualsRow } from './schedule-i-individuals.ts';
import { type ScheduleB, scheduleBRows } from './schedule-b.ts';
import type { Sefa, SefaTotals } from './sefa.ts';
import type { Sf425Item } from './sf425-items.ts';

export type ReportRow = Readonly<Record<string, string>>;

export interface Schedules {
  readonly scheduleI?: ScheduleI;
  /** Part III of Schedule I. */
  readonly individuals?: readonly IndividualsRow[];
  readonly sefa?: Sefa;
  readonly scheduleB?: ScheduleB;
  /** Items of the SF-425 around section 10. */
  readonly items?: readonly Sf425Item[];
}

/** Undefined for a report that has figures only. */
export function reportRows({
  scheduleI,
  individuals,
  sefa,
  scheduleB,
  items,
}: Schedules): readonly ReportRow[] | undefined {
  if (items !== undefined) return items.map((item) => ({ ...item }));
  if (scheduleB !== undefined) return scheduleBRows(scheduleB);
  if (scheduleI !== undefined) {
    return [...scheduleI.rows.map(scheduleRow), ...(individuals ?? []).map(individualsRow)];
  }
  return sefa?.rows.map((row) => ({
    agency: row.agency ?? '',
    assistance_listing: row.assistanceListing,
    title: row.title ?? '',
    cluster: row.cluster ?? '',
    pass_through: row.passThrough ?? '',
    pass_through_number: row.passThroughNumber ?? '',
    award_id: row.awardId ?? '',
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

/** Programs, then agencies, then clusters, then everything. */
export function sefaTotalFigures(sefa: Sefa): readonly Figure[] {
  const { programTotals, agencyTotals, clusterTotals, total } = sefa;
  const figuresOf = ({ expended, toSubrecipients }: SefaTotals): readonly Figure[] => [
    expended,
    toSubrecipients,
  ];
  const totals = [...programTotals.values(), ...agencyTotals.values(), ...clusterTotals.values()];
  return [...totals, total].flatMap(figuresOf);
}

function scheduleRow(row: ScheduleI['rows'][number]): ReportRow {
  return {
    RecipientBusinessName: row.RecipientBusinessName,
    AddressLine1Txt: row.address ?? '',
    RecipientEIN: row.RecipientEIN ?? '',
    IRCSectionDesc: row.IRCSectionDesc ?? '',
    City: row.city ?? '',
    State: row.state ?? '',
    ZIP: row.zip ?? '',
    CashGrantAmt: String(row.CashGrantAmt.dollars),
    NonCashAssistanceAmt: String(row.NonCashAssistanceAmt.dollars),
    ValuationMethodUsedDesc: row.ValuationMethodUsedDesc ?? '',
    NonCashAssistanceDesc: row.NonCashAssistanceDesc ?? '',
    PurposeOfGrantTxt: row.PurposeOfGrantTxt ?? '',
  };
}

function individualsRow(row: IndividualsRow): ReportRow {
  return {
    GrantTypeTxt: row.GrantTypeTxt,
    RecipientCnt: String(row.RecipientCnt),
    CashGrantAmt: String(row.CashGrantAmt.dollars),
    NonCashAssistanceAmt: String(row.NonCashAssistanceAmt.dollars),
    ValuationMethodUsedDesc: row.ValuationMethodUsedDesc,
    NonCashAssistanceDesc: row.NonCashAssistanceDesc,
  };
}
