/** The docket report as a calendar that remembers, in the database, what it said before. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { icsCalendar, type IcsEntry, parseDay, readIcsState } from '../../calendar/index.ts';
import { addMs, docketId, FilewrightError, invariant } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { ReportRow } from '../rules/docket/report.ts';
import { newReference, readIcs, writeIcs } from '../../people/index.ts';
import { handedTo, linkFor } from '../store/handoffs.ts';
import { linksOf } from './links.ts';
import { viewerFor } from './sight.ts';

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
  publicUrl?: string,
): Promise<IssuedDocketIcs> {
  allow(actor, 'docket.ics');
  if (rows.length > ROWS_MAX) {
    throw new FilewrightError(
      'INPUT_LIMIT',
      `A calendar holds at most ${ROWS_MAX} dockets; narrow the report with --owner`,
    );
  }
  const links = publicUrl === undefined ? new Map() : await linksTo(app, actor, rows, publicUrl);
  return app.session.transaction(async (run) => {
    const kept = await readIcs(run, app.tenant, name);
    const ics = icsCalendar({
      name,
      entries: rows.flatMap((row) => entriesOf(row, links.get(row.docket))),
      stamp: app.clock.now(),
      ...(kept === undefined ? {} : { previous: readIcsState(kept) }),
    });
    await writeIcs(run, app.tenant, { name, state: ics.state, obligations: [] });
    return { name, text: ics.text, counts: ics.counts };
  });
}

/** As long as the calendar of a year. */
const LINK_VALID_MS = 366 * 24 * 3_600_000;

/** The page on which this person acknowledges what was handed to them; a link to what others have would be theirs. */
async function linksTo(
  app: Installation,
  actor: PersonActor,
  rows: readonly ReportRow[],
  publicUrl: string,
): Promise<ReadonlyMap<string, string>> {
  const { party } = await viewerFor(app, actor);
  const dockets = rows.map(({ docket }) => docket);
  const handed = await handedTo(app.session, app.tenant, party.id, dockets);
  const links = linksOf(app);
  const found = new Map<string, string>();
  for (const [docket, handoff] of handed) {
    const ticket = await linkFor(app.session, app.tenant, {
      reference: newReference(app.random),
      docket: docketId(docket),
      handoff,
      party: party.id,
      expiresAt: addMs(app.clock.now(), LINK_VALID_MS),
    });
    found.set(docket, links.urlFor(ticket, publicUrl));
  }
  return found;
}

/** Calendars are read over shoulders: a confidential docket shows its office and event, and no number. */
function entriesOf(row: ReportRow, link: string | undefined): IcsEntry[] {
  const isLabelled = row.labels.classification.length + row.labels.privilege.length > 0;
  const kind = shortened(row.eventCode);
  const about = [row.matter, row.client].filter((one) => one !== undefined).map(shortened);
  const common = {
    note: `filewright docket show ${row.docket}`,
    ...(link === undefined ? {} : { link }),
    ...(about.length === 0 ? {} : { about }),
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
