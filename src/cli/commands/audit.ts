import type { Command } from '../command.ts';
import { readFileSync } from 'node:fs';
import {
  exportLedger,
  type ExportScope,
  type GivenTrust,
  type HistoryLine,
  ledgerHistory,
  verifyLedger,
} from '../../oversight/index.ts';
import { readBoundary, signedLogs, signNow, verifyFolder } from '../../ledger/index.ts';
import { showFiling } from '../../filings/index.ts';
import {
  EXIT,
  type FilingId,
  type Instant,
  instant,
  misuse,
  parseRfc3339,
  whyUnreadable,
} from '../../core/index.ts';
import { checkpointsFolder } from '../../system/index.ts';
import { readLimit } from '../arguments.ts';
import { environment, type GlobalOptions, withApp } from '../context.ts';
import type { Filewright } from '../../filewright.ts';
import { createOutput, iso, table } from '../output.ts';
import { moment } from '../shown.ts';
import { addQuarantineCommands } from './audit-quarantine.ts';
import { offlineText, reportText } from './audit-text.ts';
import { addSetAsideCommand } from './audit-set-aside.ts';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Times in the ledger are texts of four-digit years. */
const LAST_DAY = '9999-12-30';
const FIRST_DAY = '1970-01-01';

interface RangeOptions {
  readonly log?: string;
  readonly from?: string;
  readonly to?: string;
}

interface ExportOptions extends RangeOptions {
  readonly filing?: string;
  readonly bodies?: boolean;
  readonly unverified?: boolean;
  readonly format: string;
}

interface VerifyOptions {
  readonly bodies?: boolean;
  readonly rows?: boolean;
  readonly pinned?: string[];
  readonly policy?: string;
  readonly firstKey?: string[];
  readonly timestampCa?: string;
}

export function addCommands(audit: Command): void {
  addVerify(audit);
  addExport(audit);
  addProve(audit);
  addCheckpoint(audit);
  addLog(audit);
  addQuarantineCommands(audit);
  addSetAsideCommand(audit);
}

function addVerify(audit: Command): void {
  audit
    .command('verify [dir]')
    .description(
      'verify every log: keys, chain, tree, signed heads, copies outside and order of states; with --bodies also every sealed body. With DIR: verify an export or proof pack, without a database',
    )
    .option('--bodies', 'open and check each sealed body')
    .option('--rows', 'compare each row of the database with the entries')
    .option('--pinned <file...>', 'checkpoints that you saved earlier')
    .option('--first-key <vkey...>', 'with DIR: first keys of logs, from another source')
    .option(
      '--policy <file>',
      'trusted keys and witnesses, from a source other than the database or the export',
    )
    .option(
      '--timestamp-ca <file>',
      'certificates (PEM) of the authority whose time stamps the ledger must have',
    )
    .action(async (dir: string | undefined, own: VerifyOptions, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      if (dir !== undefined) return verifyOffline(dir, own, options);
      return verifyDatabase(own, options);
    });
}

async function verifyDatabase(own: VerifyOptions, options: GlobalOptions): Promise<void> {
  const trust = trustGiven(own);
  await withApp(options, async ({ app, out, actor }) => {
    const report = await verifyLedger(app, actor, {
      bodies: own.bodies === true,
      rows: own.rows === true,
      trust,
    });
    out.result('audit verify', report, () => reportText(report));
    if (!report.ok) process.exitCode = EXIT.verification;
  });
}

/** Whom and what to believe, from files outside the database. */
function trustGiven({ policy, pinned, timestampCa }: VerifyOptions): GivenTrust {
  const usual = environment['FILEWRIGHT_TIMESTAMP_CA'] ?? '';
  const authorities = timestampCa ?? (usual === '' ? undefined : usual);
  return {
    ...(authorities === undefined ? {} : { timestampCa: authorities }),
    // A setting says whom to believe; who names the file here wants to see a stamp.
    mustBeStamped: timestampCa !== undefined,
    ...(policy === undefined ? {} : { policy: readGiven('--policy', policy) }),
    ...(pinned === undefined
      ? {}
      : { pinned: pinned.map((path) => ({ path, note: readGiven('--pinned', path) })) }),
  };
}

function readGiven(option: string, path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw misuse(`${option}: cannot read ${path}: ${whyUnreadable(error)}`);
  }
}

async function verifyOffline(
  dir: string,
  own: VerifyOptions,
  options: GlobalOptions,
): Promise<void> {
  const report = await verifyFolder(dir, {
    ...(own.policy === undefined ? {} : { policy: own.policy }),
    ...(own.pinned === undefined ? {} : { pinned: own.pinned }),
    ...(own.firstKey === undefined ? {} : { firstKeys: own.firstKey }),
    ...(own.timestampCa === undefined
      ? {}
      : { timestampCa: readGiven('--timestamp-ca', own.timestampCa) }),
  });
  createOutput(options.json === true).result('audit verify', report, () => offlineText(report));
  if (!report.ok) {
    process.exitCode = report.reason === 'FILE_MISSING' ? EXIT.notFound : EXIT.verification;
  }
}

function addExport(audit: Command): void {
  audit
    .command('export <dir>')
    .description(
      'export logs to a new folder that anyone can verify: whole logs, or the entries of a date range or a filing with proofs',
    )
    .option('--log <name>', 'one log: filing, access, spine ... (default: all)')
    .option('--from <time>', 'entries from this day (UTC) or RFC 3339 time')
    .option('--to <time>', 'through the end of this day (UTC), or before this time')
    .option('--filing <id>', 'entries about one filing')
    .option('--bodies', 'include the sealed bodies; they stay sealed')
    .option('--format <form>', 'tiles, or ndjson (one entry per line)', 'tiles')
    .option('--unverified', 'export although the ledger does not verify; the export says so')
    .inApp(async ({ app, out, actor }, dir: string, own: ExportOptions) => {
      const format = readFormat(own.format);
      const boundary = own.log === undefined ? undefined : readBoundary(own.log);
      const filing =
        own.filing === undefined ? undefined : (await showFiling(app, actor, own.filing)).filing.id;
      const report = await exportLedger(app, actor, {
        folder: dir,
        scope: scopeOf(own, filing),
        ...(boundary === undefined ? {} : { boundary }),
        bodies: own.bodies === true,
        format,
        unverified: own.unverified === true,
        ...stampAuthorities(),
      });
      out.result('audit export', report, () =>
        [
          table(
            [
              'log',
              'written',
              'signed head',
              'in the database',
              'not signed yet',
              'bodies',
              'shredded',
            ],
            report.logs.map((log) => [
              log.log,
              log.entries,
              log.size,
              log.database.entries,
              log.unsigned,
              log.bodies?.written ?? '-',
              log.bodies?.shredded ?? '-',
            ]),
          ),
          ...report.faults.map((fault) => `DOES NOT VERIFY: ${fault}`),
          `${report.files} files, ${report.bytes} bytes in ${report.folder}`,
          ...(format === 'tiles'
            ? [`Check it with: python3 ${report.folder}/verify.py ${report.folder}`]
            : []),
        ].join('\n'),
      );
    });
}

/** They go with an export, as the keys of the logs do. */
function stampAuthorities(): { readonly timestampCa?: Uint8Array } {
  const file = environment['FILEWRIGHT_TIMESTAMP_CA'] ?? '';
  return file === '' ? {} : { timestampCa: readGiven('FILEWRIGHT_TIMESTAMP_CA', file) };
}

function addProve(audit: Command): void {
  audit
    .command('prove <filing> [dir]')
    .description('write each entry about a filing, with its proof (.tlog-proof), to a new folder')
    .inApp(async ({ app, out, actor }, name: string, dir: string | undefined) => {
      const { id } = (await showFiling(app, actor, name)).filing;
      const report = await exportLedger(app, actor, {
        folder: dir ?? `proof-${id}`,
        scope: { kind: 'filing', filing: id },
        bodies: false,
        format: 'tiles',
        ...stampAuthorities(),
      });
      const [log] = report.logs;
      out.result('audit prove', { filing: id, ...report }, () =>
        [
          `${log?.entries ?? 0} entries with proofs in ${report.folder}, under the signed head of ${log?.size ?? 0} entries of ${log?.log ?? ''}.`,
          `Check them with: python3 ${report.folder}/verify.py ${report.folder}`,
        ].join('\n'),
      );
    });
}

function addCheckpoint(audit: Command): void {
  audit
    .command('checkpoint')
    .description('sign the heads of all logs now, and show them with their verification keys')
    .inApp(async ({ app, out, actor }) => {
      const copies = checkpointsFolder(app.dataDirectory, environment);
      await signNow(app, actor);
      const witnesses = await app.askWitnesses();
      const stamp = await app.askForStamp();
      const logs = (await signedLogs(app, actor)).map((log) => ({
        log: log.origin,
        size: log.checkpoint.size,
        root: Buffer.from(log.checkpoint.root).toString('base64'),
        signedAt: iso(log.checkpoint.signedAt),
        unsigned: log.unsigned,
        keys: log.keys.map(({ key }) => key.text),
        note: Buffer.from(log.checkpoint.note).toString('utf8'),
      }));
      out.result('audit checkpoint', { logs, copies, witnesses, stamp: stamp ?? null }, () =>
        [
          table(
            ['log', 'size', 'root', 'signed', 'not signed yet'],
            logs.map((log) => [log.log, log.size, log.root, log.signedAt, log.unsigned]),
          ),
          '',
          'Verification keys. Send them to your auditor separately from any export:',
          ...logs.flatMap((log) => log.keys),
          `Copies outside the database: ${copies}`,
          ...witnesses.map(({ witness, state, size, message }) =>
            state === 'cosigned'
              ? `Witness ${witness}: cosigned ${size} entries of the spine.`
              : `Witness ${witness}: ${state}. ${message}`,
          ),
          ...stampLine(stamp),
        ].join('\n'),
      );
    });
}

function stampLine(stamp: Awaited<ReturnType<Filewright['askForStamp']>>): string[] {
  if (stamp === undefined) return [];
  const { state, size, at, authority, message } = stamp;
  if (at !== undefined) {
    return [`Time stamp: ${size} entries of the spine at ${at}, by ${authority ?? ''}.`];
  }
  if (state === 'stamped') return [`Time stamp: ${size} entries of the spine have one.`];
  return [`Time stamp: ${state}. ${message}`];
}

function addLog(audit: Command): void {
  audit
    .command('log [filing]')
    .description('the recorded history of a filing, or of a log (default: the last day)')
    .option('--log <name>', 'which log', 'filing')
    .option('--from <time>', 'from this day (UTC) or time')
    .option('--to <time>', 'through the end of this day (UTC), or before this time')
    .option('--limit <n>', 'how many', '200')
    .inApp(
      async (
        { app, out, actor },
        filing: string | undefined,
        own: RangeOptions & { limit: string },
      ) => {
        const yesterday = instant(app.clock.now() - DAY_MS);
        const what =
          filing === undefined
            ? {
                boundary: readBoundary(own.log ?? 'filing'),
                from: readMoment('--from', own.from, 'begin') ?? yesterday,
                to: readMoment('--to', own.to ?? LAST_DAY, 'end') ?? yesterday,
              }
            : { filing };
        const found = await ledgerHistory(app, actor, what, readLimit(own.limit));
        out.result('audit log', found, () =>
          [
            table(
              ['entry', 'at', 'what', 'about', 'by', 'facts'],
              found.lines.map((line) => [
                line.seq,
                moment(Date.parse(line.at)),
                line.type,
                line.subject,
                line.by,
                factsText(line),
              ]),
            ),
            ...(found.isCut ? ['More entries exist; raise --limit or narrow the dates.'] : []),
          ].join('\n'),
        );
      },
    );
}

/** Long values are for machines. */
function factsText({ facts }: HistoryLine): string {
  return Object.entries(facts)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `${name}=${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
    })
    .join(' ');
}

function scopeOf(own: ExportOptions, filing: FilingId | undefined): ExportScope {
  const hasTime = own.from !== undefined || own.to !== undefined;
  if (filing === undefined) {
    if (!hasTime) return { kind: 'whole' };
    const from = readMoment('--from', own.from ?? FIRST_DAY, 'begin') ?? instant(0);
    const to = readMoment('--to', own.to ?? LAST_DAY, 'end') ?? instant(0);
    if (from < to) return { kind: 'time', from, to };
    throw misuse('--from must be before --to');
  }
  if (hasTime || (own.log !== undefined && own.log !== 'filing')) {
    throw misuse('--filing exports every entry about that filing; omit --log, --from and --to');
  }
  return { kind: 'filing', filing };
}

function readFormat(text: string): 'tiles' | 'ndjson' {
  if (text === 'tiles' || text === 'ndjson') return text;
  throw misuse(`--format: expected tiles or ndjson, found "${text}"`);
}

/** A day is its beginning or, as an end, the moment after it. */
function readMoment(
  option: string,
  text: string | undefined,
  side: 'begin' | 'end',
): Instant | undefined {
  if (text === undefined) return undefined;
  const moment = parseRfc3339(DAY.test(text) ? `${text}T00:00:00Z` : text);
  if (moment === undefined) {
    throw misuse(
      `${option}: expected a day like 2026-03-31 or a time like 2026-03-31T09:00:00Z, found "${text}"`,
    );
  }
  return side === 'end' && DAY.test(text) ? instant(moment + DAY_MS) : moment;
}
