/** The docket report as rows; CSV, PDF and .ics are drawn from the same ones. */
import { dateAtOffice, formatDay } from '../../../calendar/index.ts';
import type { DocketId, Instant } from '../../../core/index.ts';
import { inherit, type Labels } from '../access/labels.ts';
import { isConfidential } from '../access/rights.ts';
import { maySee, type Viewer } from '../access/visible.ts';
import type { PatentLaw } from '../matter.ts';
import { calendarOf, datesOf, type DocketDates } from './dates.ts';
import { blindDates } from './second.ts';
import type { Docket } from './docket.ts';

export interface OpenDocket {
  readonly docket: Docket;
  /** Who confirmed the handing over, or to whom it has been given; undefined while nobody has it. */
  readonly owner: string | undefined;
  /** PRIMARY to MANUAL, or confirmed. */
  readonly state: string;
  /** Its dates are not shown to this reader: see second.ts. */
  readonly isBlind?: boolean;
}

/** `undated` comes first in the report: it may be any of the others. */
type ReportMark = 'undated' | 'late' | 'today' | 'soon' | 'open';

export interface ReportRow {
  readonly docket: DocketId;
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly matter: string | undefined;
  readonly office: string | undefined;
  readonly eventCode: string;
  readonly title: string | undefined;
  readonly rule: string | undefined;
  readonly soft: string | undefined;
  readonly due: string | undefined;
  readonly final: string | undefined;
  readonly owner: string | undefined;
  readonly state: string;
  readonly mark: ReportMark;
  /** Empty where the dates are verified; each reason otherwise, to be shown beside the date. */
  readonly unverified: readonly string[];
  /** Of the docket: whatever is drawn from the row is as secret as it is. */
  readonly labels: Labels;
  /** Less than the whole firm may know of it: where somebody else could read along, its number stays out. */
  readonly isConfidential: boolean;
}

const MARKS: readonly ReportMark[] = ['undated', 'late', 'today', 'soon', 'open'];
const SOON_DAYS = 7;

/** By due date, then owner, then id; only what the viewer may see. */
export function reportRows(
  open: Iterable<OpenDocket>,
  at: { readonly law: PatentLaw; readonly now: Instant; readonly viewer: Viewer },
): ReportRow[] {
  const rows: ReportRow[] = [];
  for (const one of open) {
    if (!maySee(one.docket, at.viewer)) continue;
    const known = datesOf(one.docket, at.law, at.now);
    const dates = one.isBlind === true ? blindDates(at.now, known.office) : known;
    const confidential = isConfidential(one.docket, at.viewer.people);
    rows.push({ ...rowOf(one, dates, markOf(dates, at)), isConfidential: confidential });
  }
  return rows.sort(
    (a, b) =>
      Number(a.due !== undefined) - Number(b.due !== undefined) ||
      compare(a.due, b.due) ||
      compare(a.owner, b.owner) ||
      compare(a.docket, b.docket),
  );
}

function rowOf(
  { docket, owner, state }: OpenDocket,
  dates: DocketDates,
  mark: ReportMark,
): Omit<ReportRow, 'isConfidential'> {
  const isDated = dates.kind === 'dated';
  return {
    docket: docket.id,
    applicationNumber: docket.applicationNumber,
    client: docket.client,
    matter: docket.event?.matter,
    office: dates.office,
    eventCode: docket.eventCode,
    title: docket.event?.title,
    rule: isDated ? dates.rule : undefined,
    soft: isDated ? formatDay(dates.soft) : undefined,
    due: isDated ? formatDay(dates.due) : undefined,
    final: isDated && dates.final !== undefined ? formatDay(dates.final) : undefined,
    owner,
    state,
    mark,
    unverified: isDated ? dates.unverified : [dates.why],
    labels: inherit(docket.labels),
  };
}

function markOf(
  dates: DocketDates,
  at: { readonly law: PatentLaw; readonly now: Instant },
): ReportMark {
  if (dates.kind === 'undated') return 'undated';
  if (at.now >= dates.dueMoment) return 'late';
  const zone = calendarOf(dates.office, at.law)?.zone ?? 'UTC';
  const left = dates.due - dateAtOffice(at.now, zone);
  if (left <= 0) return 'today';
  return left <= SOON_DAYS ? 'soon' : 'open';
}

/** By whom a report is cut into parts: who has the docket, or whose it is. */
export type ReportPart = 'attorney' | 'client';

interface ReportGroup {
  readonly name: string;
  readonly rows: readonly ReportRow[];
}

/** Those without a name come last, so that none is lost; within each the order stays. */
export function groupsOf(rows: readonly ReportRow[], by: ReportPart): readonly ReportGroup[] {
  const nobody = by === 'attorney' ? 'No one has it yet' : 'No client is named';
  const groups = new Map<string | undefined, ReportRow[]>();
  for (const row of rows) {
    const name = by === 'attorney' ? row.owner : row.client;
    const own = groups.get(name);
    if (own === undefined) groups.set(name, [row]);
    else own.push(row);
  }
  return [...groups]
    .toSorted(([a], [b]) => Number(a === undefined) - Number(b === undefined) || compare(a, b))
    .map(([name, own]) => ({ name: name ?? nobody, rows: own }));
}

/** How many rows bear each mark; counted from the rows that are shown, so a total never tells of hidden ones. */
export function marksOf(rows: readonly ReportRow[]): Readonly<Record<ReportMark, number>> {
  const count = (mark: ReportMark): number => rows.filter((row) => row.mark === mark).length;
  return Object.fromEntries(MARKS.map((mark) => [mark, count(mark)])) as Record<ReportMark, number>;
}

function compare(a: string | undefined, b: string | undefined): number {
  const [left, right] = [a ?? '', b ?? ''];
  return left < right ? -1 : Number(left > right);
}
