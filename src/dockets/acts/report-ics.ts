/** The docket report as a calendar that remembers, in the database, what it said before. */
import { type Actor, allow } from '../../access/index.ts';
import { icsCalendar, type IcsEntry, parseDay, readIcsState } from '../../calendar/index.ts';
import { FilewrightError, invariant } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { ReportRow } from '../rules/docket/report.ts';
import { readIcs, writeIcs } from '../../people/index.ts';

interface IssuedDocketIcs {
  readonly name: string;
  readonly text: string;
  readonly counts: {
    readonly entries: number;
    readonly active: number;
    readonly cancelled: number;
  };
}

/** As with every other calendar here: programs that read one give up long before. */
const ROWS_MAX = 50_000;
/** Of a code or a number, which may be longer than a calendar's line: one such docket must not cost all the others theirs. */
const WORD_CHARACTERS_MAX = 100;

/**
 * A calendar is one person's: what another may not see must not be cancelled in theirs, nor shown. State and sequences
 * are committed before the text is handed out; a crash in between makes the next issue repeat the very same.
 */
export async function issueDocketIcs(
  app: Installation,
  actor: Actor,
  rows: readonly ReportRow[],
  name: string,
): Promise<IssuedDocketIcs> {
  allow(actor, 'docket.ics');
  if (rows.length > ROWS_MAX) {
    throw new FilewrightError(
      'INPUT_LIMIT',
      `A calendar holds at most ${ROWS_MAX} dockets; narrow the report with --owner`,
    );
  }
  return app.session.transaction(async (run) => {
    const kept = await readIcs(run, app.tenant, name);
    const ics = icsCalendar({
      name,
      entries: rows.flatMap(entriesOf),
      stamp: app.clock.now(),
      ...(kept === undefined ? {} : { previous: readIcsState(kept) }),
    });
    await writeIcs(run, app.tenant, { name, state: ics.state, obligations: [] });
    return { name, text: ics.text, counts: ics.counts };
  });
}

/** Calendars are read over shoulders: a confidential docket shows its office and event, and no number. */
function entriesOf(row: ReportRow): IcsEntry[] {
  const isLabelled = row.labels.classification.length + row.labels.privilege.length > 0;
  const kind = shortened(row.eventCode);
  const common = {
    identity: row.docket,
    kind: row.unverified.length === 0 ? kind : `${kind} (unverified)`,
    ...(row.office === undefined ? {} : { jurisdiction: shortened(row.office) }),
    ...(row.applicationNumber === undefined ? {} : { reference: shortened(row.applicationNumber) }),
    cls: row.isConfidential || isLabelled ? ('privileged' as const) : ('ordinary' as const),
  };
  return (['soft', 'due', 'final'] as const).flatMap((date) => {
    const text = row[date];
    // A work target on the due date says nothing more.
    if (text === undefined || (date === 'soft' && text === row.due)) return [];
    const day = parseDay(text);
    invariant(day !== undefined, 'Expected a date of the report to be a day.', {
      docket: row.docket,
    });
    return [{ ...common, date, day }];
  });
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= WORD_CHARACTERS_MAX
    ? text
    : `${characters.slice(0, WORD_CHARACTERS_MAX).join('')}…`;
}
