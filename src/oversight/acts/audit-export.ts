/** `audit export`: the ledger for somebody outside, with counts that agree with the database. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError, type LedgerBoundary, notFound, toRfc3339 } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  compareCopies,
  entriesBetween,
  entriesOfFiling,
  type FiledEntry,
  ledgerCounts,
  ledgerEntries,
  type LogCounts,
  type SignedLog,
  signedLog,
  signNow,
  writePack,
  writeWholeLog,
  type WrittenLog,
} from '../../ledger/index.ts';
import { verifyLedger } from './audit.ts';
import { type ExportScope, scopeText, writeForReader } from './audit-for-reader.ts';
import { namingEntries, together, type VouchedLogs, vouchedLogs } from './audit-vouched.ts';
import { docketSight, hasDockets } from '../../dockets/index.ts';
import { writeRows } from './audit-rows.ts';
import { ExportFolder } from '../../system/index.ts';

interface ExportedLog extends WrittenLog {
  readonly log: string;
  readonly boundary: LedgerBoundary;
  /** Of the signed head that vouches for it. */
  readonly size: number;
  readonly root: string;
  /** In the database, after that head. */
  readonly unsigned: number;
  /** What the database holds of it at the same time. */
  readonly database: Pick<LogCounts, 'size' | 'entries' | 'bodies' | 'waiting'>;
}

interface ExportReport {
  readonly folder: string;
  readonly scope: string;
  readonly exportedAt: string;
  /** What does not verify, where it was written all the same. */
  readonly faults: readonly string[];
  readonly logs: readonly ExportedLog[];
  readonly files: number;
  readonly bytes: number;
}

interface ExportRequest {
  readonly folder: string;
  readonly scope: ExportScope;
  /** One log; all of them unless told. */
  readonly boundary?: LedgerBoundary;
  readonly bodies: boolean;
  readonly format: 'tiles' | 'ndjson';
  /** The PEM file of the authorities of time whose stamps this firm believes; it goes along. */
  readonly timestampCa?: Uint8Array;
  /** Writes what does not verify all the same, and says so in the folder; refused unless told. */
  readonly unverified?: boolean;
}

/**
 * Of a whole log these are thousands, and its signed head vouches for each. For the log itself nothing does: a copy that
 * ended before one would verify as well, so the manifest lists every policy and checkpoint. It lists every body too: the
 * entry says what a body must be, and whether it should be there only whoever wrote the folder knows.
 */
const VOUCHED_FOR = /(^|\/)(tile|checkpoints)\//;

export async function exportLedger(
  app: Filewright,
  reader: Actor,
  request: ExportRequest,
): Promise<ExportReport> {
  allow(reader, 'audit.export');
  const { scope } = request;
  if (scope.kind !== 'filing') await requireFullSight(app, reader);
  // Before anything is signed: that would make up for some losses.
  const faults = scope.kind === 'whole' ? await ledgerFaults(app, reader) : [];
  if (request.unverified !== true) refuseUnverified(faults);
  const vouched = await vouchedLogs(app, await signNow(app, reader));
  const wanted = await chosenLogs(app, vouched.logs, request);
  // Some entries of a log, of a million: its keys, its head and its newest copy are looked at, not all of it.
  if (scope.kind !== 'whole') faults.push(...(await copyFaults(app, wanted)));
  if (request.unverified !== true) refuseUnverified(faults);
  return ExportFolder.fill(
    request.folder,
    (name) => scope.kind !== 'whole' || !VOUCHED_FOR.test(name),
    (folder) => writeExport(app, request, { wanted, faults, vouched }, folder),
  );
}

/** What `audit verify` finds wrong, each as one line. */
async function ledgerFaults(app: Filewright, reader: Actor): Promise<string[]> {
  const report = await verifyLedger(app, reader, { bodies: false });
  const logs = report.logs.filter(({ ok }) => !ok);
  return [
    ...logs.map(({ log, reason, message }) => `${reason ?? ''} ${log}: ${message ?? ''}`),
    ...report.problems.map(({ reason, message }) => `${reason} ${message}`),
  ];
}

async function copyFaults(app: Filewright, wanted: readonly SignedLog[]): Promise<string[]> {
  const faults: string[] = [];
  for (const log of wanted) {
    const compared = await compareCopies(app.session, log, app.copies);
    if (compared.kind === 'agrees') continue;
    const { reason, keptSize, size } = compared.contradiction;
    faults.push(
      `COPY_MISMATCH ${log.origin}: ${reason} (${keptSize} entries signed and copied outside, ${size} in the database)`,
    );
  }
  return faults;
}

function refuseUnverified([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new FilewrightError(
    'LEDGER_BROKEN',
    `The ledger does not verify, so nothing is exported: ${first} Run audit verify; to export it as evidence all the same, add --unverified`,
  );
}

async function writeExport(
  app: Filewright,
  request: ExportRequest,
  {
    wanted,
    faults,
    vouched,
  }: {
    readonly wanted: readonly SignedLog[];
    readonly faults: readonly string[];
    readonly vouched: VouchedLogs;
  },
  folder: ExportFolder,
): Promise<ExportReport> {
  const { scope, format } = request;
  const counts = new Map((await ledgerCounts(app.session, app.tenant)).map((c) => [c.boundary, c]));
  const logs: { report: ExportedLog; log: SignedLog; prefix: string }[] = [];
  const naming = format === 'tiles' && scope.kind !== 'whole' ? namingEntries(vouched, wanted) : [];
  const hasSpine = wanted.some(({ boundary }) => boundary === 'spine');
  const isAlone = wanted.length === 1 && naming.length === 0;
  for (const log of wanted) {
    const prefix = isAlone ? '' : `logs/${log.boundary}/`;
    const written =
      format === 'ndjson'
        ? await writeLines(app, log, scope, folder)
        : await writeLog(app, log, request, { folder, prefix }, naming);
    if (written.entries === 0) continue;
    const database = counts.get(log.boundary);
    if (database === undefined) throw unreconciled(log, 'it has no head');
    const report = reportOf(log, written, database);
    reconcile(log, report, scope);
    logs.push({ report, log, prefix });
  }
  if (logs.length > 0 && !hasSpine) await writeNaming(app, request, naming, vouched, folder);
  if (logs.length === 0) {
    throw notFound(`Nothing is recorded for ${scopeText(scope)}; see audit log`);
  }
  const exportedAt = toRfc3339(app.clock.now());
  const counted = {
    v: 1,
    exported_at: exportedAt,
    tenant: app.tenant,
    instance: app.instance,
    scope: scopeText(scope),
    // What audit verify found wrong when this was written: an export as evidence, not as proof.
    ...(faults.length === 0 ? {} : { does_not_verify: faults }),
    logs: logs.map(({ report }) => report),
  };
  const rows = await rowsOf(app, request, wanted, folder);
  const about = { ...counted, ...(rows === undefined ? {} : { rows }) };
  await folder.write('MANIFEST.json', `${JSON.stringify(about, null, 2)}\n`);
  if (format === 'tiles') await writeForReader(app, folder, { scope, exportedAt, faults, logs });
  await folder.writeManifest();
  return {
    folder: folder.path,
    scope: scopeText(scope),
    exportedAt,
    faults,
    logs: logs.map(({ report }) => report),
    files: folder.files,
    bytes: folder.bytes,
  };
}

/** Rows are compared with all that was ever said of them: so they go only with whole logs, and with all of these. */
async function rowsOf(
  app: Filewright,
  { scope, boundary, format }: ExportRequest,
  wanted: readonly SignedLog[],
  folder: ExportFolder,
): Promise<number | undefined> {
  if (scope.kind !== 'whole' || boundary !== undefined || format !== 'tiles') return undefined;
  const signed = new Map(wanted.map((log) => [log.boundary, log.checkpoint.size]));
  return writeRows(app.session, app.tenant, signed, folder);
}

/**
 * An export is the entries themselves, and one that was left out or blackened would break the proof. So where dockets are
 * routed, a log is given only to who may see every docket there could be. The rule looks at the reader and not at what is
 * recorded, so that a refusal tells nothing.
 */
async function requireFullSight(app: Filewright, reader: Actor): Promise<void> {
  if (!(await hasDockets(app.session, app.tenant))) return;
  if (await docketSight(app, reader).seesEverything()) return;
  throw new FilewrightError(
    'SIGHT_NEEDED',
    'Only a person who may see every docket (client:*, class:* and privilege:*, no deny) can export a log',
  );
}

async function chosenLogs(
  app: Filewright,
  signed: readonly SignedLog[],
  { scope, boundary }: ExportRequest,
): Promise<readonly SignedLog[]> {
  if (scope.kind === 'filing') return [await signedLog(app, signed, 'filing')];
  if (boundary !== undefined) return [await signedLog(app, signed, boundary)];
  if (signed.length > 0) return signed;
  throw notFound('No log has a signed head; see audit checkpoint');
}

function writeLog(
  app: Filewright,
  log: SignedLog,
  { scope, bodies, timestampCa: authorities }: ExportRequest,
  place: { readonly folder: ExportFolder; readonly prefix: string },
  naming: readonly FiledEntry[],
): Promise<WrittenLog> {
  if (scope.kind === 'whole') return writeWholeLog(app, log, place, { bodies, authorities });
  const entries = entriesIn(app, log, scope);
  const shown = log.boundary === 'spine' ? together(entries, naming) : entries;
  return writePack(app, log, shown, place, { bodies, authorities });
}

/** A part of a log is vouched for only with the entry of the spine that names its head. */
async function writeNaming(
  app: Filewright,
  { timestampCa: authorities }: ExportRequest,
  entries: readonly FiledEntry[],
  { logs }: VouchedLogs,
  folder: ExportFolder,
): Promise<void> {
  const spine = logs.find(({ boundary }) => boundary === 'spine');
  if (spine === undefined || entries.length === 0) return;
  const place = { folder, prefix: 'logs/spine/' };
  await writePack(app, spine, entries, place, { bodies: false, authorities });
}

/** Each line is one entry, to the byte: its leaf hash is that of the line without its end. */
async function writeLines(
  app: Filewright,
  log: SignedLog,
  scope: ExportScope,
  folder: ExportFolder,
): Promise<WrittenLog> {
  const file = await folder.lines(`${log.boundary}.ndjson`);
  let entries = 0;
  try {
    for await (const { bytes } of entriesIn(app, log, scope)) {
      await file.add(bytes);
      entries += 1;
    }
  } finally {
    await file.close();
  }
  const files = { tiles: 0, bundles: 0, proofs: 0 };
  return { entries, files, checkpoints: 0, bodies: undefined };
}

/** Only what is under the signed head: a range may reach to the very end of a log that goes on growing. */
async function* entriesIn(
  app: Filewright,
  log: SignedLog,
  scope: ExportScope,
): AsyncGenerator<FiledEntry> {
  const { size } = log.checkpoint;
  if (scope.kind === 'whole') {
    let seq = 0;
    for await (const bytes of ledgerEntries(app.session, log.tenant, log.boundary, size)) {
      yield { seq, bytes };
      seq += 1;
    }
    return;
  }
  const found =
    scope.kind === 'time'
      ? entriesBetween(app.session, log, scope)
      : entriesOfFiling(app.session, log.tenant, scope.filing);
  for await (const entry of found) if (entry.seq < size) yield entry;
}

function reportOf(log: SignedLog, written: WrittenLog, counts: LogCounts): ExportedLog {
  const { size, entries, bodies, waiting } = counts;
  return {
    ...written,
    log: log.origin,
    boundary: log.boundary,
    size: log.checkpoint.size,
    root: Buffer.from(log.checkpoint.root).toString('base64'),
    unsigned: log.unsigned,
    database: { size, entries, bodies, waiting },
  };
}

/** The numbers of the export and of the database must tell the same story, or nothing is handed out as complete. */
function reconcile(log: SignedLog, report: ExportedLog, scope: ExportScope): void {
  const { database } = report;
  if (database.entries !== database.size) {
    throw unreconciled(
      log,
      `its head counts ${database.size} entries, ${database.entries} are there`,
    );
  }
  if (database.size < log.checkpoint.size) {
    throw unreconciled(
      log,
      `it has ${database.size} entries, and ${log.checkpoint.size} were signed`,
    );
  }
  if (scope.kind === 'whole' && report.entries !== log.checkpoint.size) {
    throw unreconciled(log, `${report.entries} of ${log.checkpoint.size} entries were written`);
  }
}

function unreconciled(log: SignedLog, found: string): FilewrightError {
  return new FilewrightError(
    'LEDGER_BROKEN',
    `The export of ${log.origin} does not agree with the database: ${found}. Run audit verify`,
    { details: { origin: log.origin } },
  );
}
