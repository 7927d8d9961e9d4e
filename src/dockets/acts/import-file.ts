/** Brings a file of docket events in: read, compare, seal, route what drifted, report the rest. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { basename } from 'node:path';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import {
  type ColumnMapping,
  invariant,
  overLimit,
  type Sha256Hex,
  sha256Of,
} from '../../core/index.ts';
import {
  type GoodRow,
  type ImportCounts,
  type ImportRunReport,
  type ReadRow,
  type RowOutcome,
  type RowReading,
  runImport,
} from '../../intake/index.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import { type Docket, docketOf, driftDocket } from '../rules/docket/docket.ts';
import { isRespelled, type Meaning, meaningOf } from '../rules/docket/meaning.ts';
import { importDockets } from '../routing/intake.ts';
import type { IncomingDocket } from '../routing/incoming-docket.ts';
import type { RoutingDeps } from '../routing/deps.ts';
import type { DocketAdmission, StoredDocket } from '../store/docket-rows.ts';
import { findByIdentity, findDocket } from '../store/dockets.ts';
import { mappingNamed } from './mapping.ts';
import { actorOf, routingDeps } from './deps.ts';
import { type DocketFile, openDocketFile } from './read-file.ts';
import { Sight } from './sight.ts';

interface DocketImport {
  readonly path: string;
  readonly dryRun: boolean;
  /** The name of a shipped mapping, or a file that holds one: the input is then an office's own document. */
  readonly mapping?: string;
  readonly columns?: ColumnMapping;
  readonly errorFile?: string;
  readonly onProgress?: (counts: ImportCounts) => void;
}

/**
 * `created` counts what this person may not see as well, as if nobody had it; `changed` are known events that came with
 * other bytes, of which the first stay.
 */
export interface DocketImportReport extends ImportRunReport {
  /** Of all rows: those whose schema drifted. They are routed as they are. */
  readonly drift: number;
  /**
   * Rows whose event this person may not see: it goes to people with the right to see it. By what the row itself says, so that
   * it tells nothing of what is stored.
   */
  readonly toOthers: number;
  readonly skipped: readonly { readonly code: string; readonly count: number }[];
}

/** Events of one file that are remembered to know a repeat, at about 500 bytes each. */
const SEEN_MAX = 1_000_000;

export async function importDocketFile(
  app: Installation,
  actor: Actor,
  input: DocketImport,
): Promise<DocketImportReport> {
  allow(actor, 'docket.import');
  const mapping = input.mapping === undefined ? undefined : await mappingNamed(input.mapping);
  const file = await openDocketFile(input.path, {
    ...(mapping === undefined ? {} : { mapping }),
    ...(input.columns === undefined ? {} : { columns: input.columns }),
  });
  const importer = new DocketImporter(app, { ...input, person: actor }, file);
  const errorFile =
    input.errorFile === undefined || input.dryRun
      ? undefined
      : { path: input.errorFile, unique: app.ids.next() };
  const report = await runImport(
    { ...file, read: (row) => importer.read(row), admit: (rows) => importer.admit(rows) },
    { errorFile, onProgress: input.onProgress },
  );
  if (!input.dryRun) await sequenceAll(app);
  const skipped = [...file.skipped].map(([code, count]) => ({ code, count }));
  return { ...report, drift: importer.drift, toOthers: importer.toOthers, skipped };
}

interface SeenRecord {
  readonly sha256: Sha256Hex;
  readonly meaning: Meaning | undefined;
}

type PersonalImport = DocketImport & { readonly person: PersonActor };
type Told = 'created' | 'unchanged' | 'changed';

class DocketImporter {
  drift = 0;
  #toOthers = 0;
  #viewer: Promise<Viewer | undefined> | undefined;
  readonly #app: Installation;
  readonly #input: PersonalImport;
  readonly #file: DocketFile;
  readonly #sight: Sight;
  readonly #seen = new Map<string, SeenRecord>();

  constructor(app: Installation, input: PersonalImport, file: DocketFile) {
    this.#app = app;
    this.#input = input;
    this.#file = file;
    this.#sight = new Sight(app, input.person);
  }

  /**
   * A wrong value goes back to whoever brought the file. Drift does not: the sender has changed, nobody knows what the
   * record says, and it is routed at once so that somebody looks at it.
   */
  read(row: GoodRow): RowReading<IncomingDocket> {
    const reading = this.#file.readingOf(row);
    if (reading.kind === 'refused') return { ok: false, errors: reading.errors };
    const { payload, contentType } = this.#file.payloadOf(row);
    const item = { payload, contentType, reading, source: basename(this.#input.path) };
    if (reading.kind === 'event') return { ok: true, item };
    this.drift += 1;
    return { ok: true, item, remarks: reading.errors };
  }

  get toOthers(): number {
    return this.#toOthers;
  }

  /** Before the first people file there is nobody who lacks a right. */
  async #countOthers(deps: RoutingDeps, incoming: readonly IncomingDocket[]): Promise<void> {
    this.#viewer ??= this.#sight.viewer();
    const viewer = await this.#viewer;
    if (viewer === undefined) return;
    for (const record of incoming) {
      if (!maySee(docketFor(deps, record), viewer)) this.#toOthers += 1;
    }
  }

  async admit(rows: readonly ReadRow<IncomingDocket>[]): Promise<readonly RowOutcome[]> {
    const incoming = rows.map(({ item }) => item);
    const deps = routingDeps(this.#app);
    const admitted = this.#input.dryRun
      ? await foresee(deps, incoming)
      : await importDockets(deps, incoming, actorOf(this.#input.person));
    await this.#countOthers(deps, incoming);
    const outcomes: RowOutcome[] = [];
    for (const [at, record] of incoming.entries()) {
      const one = admitted[at];
      invariant(one !== undefined, 'Expected an admission for each record.');
      const inFile = this.#compareInFile(one.docket, this.#known(deps, record));
      outcomes.push({ kind: await this.#told(one, inFile) });
    }
    return outcomes;
  }

  /**
   * Against the store for who may know what it holds; for anybody else against the rest of the file alone, so that the
   * counts are the same whether or not there is a hidden docket.
   */
  async #told({ kind, docket }: DocketAdmission, inFile: Told): Promise<Told> {
    // Whether a row says the same as the first reading tells its date, and that must not be guessed before a second docketing.
    if (kind === 'created' || !(await this.#sight.mayKnowDates(docket))) return inFile;
    return kind === 'unchanged' ? 'unchanged' : 'changed';
  }

  /** Whether two records say the same in other words, the store knows; a dry run has nobody else to ask. */
  #known(deps: RoutingDeps, record: IncomingDocket): SeenRecord {
    if (!this.#input.dryRun) return { sha256: sha256Of(record.payload), meaning: undefined };
    const docket = docketFor(deps, record);
    return { sha256: docket.payloadSha256, meaning: meaningOf(docket) };
  }

  #compareInFile(docket: string, again: SeenRecord): Told {
    const first = this.#seen.get(docket);
    const { sha256 } = again;
    if (first !== undefined) {
      const isSame = first.sha256 === sha256 || isRespelled(first.meaning, again.meaning);
      return isSame ? 'unchanged' : 'changed';
    }
    if (this.#seen.size < SEEN_MAX) {
      this.#seen.set(docket, again);
    } else if (this.#input.dryRun) {
      const message = `Expected at most ${SEEN_MAX} events in a dry run, found more. Split the file.`;
      throw overLimit(message);
    }
    return 'created';
  }
}

/** What an import would find in the store, without changing it. */
async function foresee(
  deps: RoutingDeps,
  incoming: readonly IncomingDocket[],
): Promise<readonly DocketAdmission[]> {
  const admitted: DocketAdmission[] = [];
  for (const { payload, reading } of incoming) {
    const docket = docketFor(deps, { payload, reading });
    const known = await foundDocket(deps, docket);
    const isSame =
      known?.payloadSha256 === docket.payloadSha256 ||
      // Written by the intake, from a docket.
      (known !== undefined && isRespelled(meaningOf(known.read), meaningOf(docket)));
    const kind = known === undefined ? 'created' : isSame ? 'unchanged' : 'conflict';
    admitted.push({ kind, docket: known?.id ?? docket.id });
  }
  return admitted;
}

/** By its event, or by its id where it came before identities were kept. */
async function foundDocket(
  { session, tenant }: RoutingDeps,
  { id, messageId }: Docket,
): Promise<StoredDocket | undefined> {
  const known = await findByIdentity(session, tenant, messageId);
  return findDocket(session, tenant, known ?? id);
}

function docketFor(
  { tenant, law }: RoutingDeps,
  { payload, reading }: Pick<IncomingDocket, 'payload' | 'reading'>,
): Docket {
  const payloadSha256 = sha256Of(payload);
  return reading.kind === 'event'
    ? docketOf(reading.event, { tenant, payloadSha256, rules: law().rules })
    : driftDocket(reading.glimpse, { tenant, payloadSha256 });
}
