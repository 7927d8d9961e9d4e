/** Brings a file of docket events in: read, compare, seal, route what drifted, report the rest. */
import { basename } from 'node:path';
import type { Filewright } from '../../filewright.ts';
import { FilewrightError, type RowError, type Sha256Hex, sha256Of } from '../../core/index.ts';
import { CHUNK_ROWS, type ColumnMapping, ErrorFile } from '../../intake/index.ts';
import {
  type Docket,
  docketOf,
  type DocketReading,
  driftDocket,
  isRespelled,
  type Meaning,
  meaningOf,
} from '../../packs/patent/docket/index.ts';
import { importDockets, type IncomingDocket, type RoutingParts } from '../../routing/index.ts';
import {
  type DocketAdmission,
  findByIdentity,
  findDocket,
  type Person,
  type StoredDocket,
} from '../../store/index.ts';
import { sequenceAll } from '../sequence.ts';
import { mappingNamed } from './mapping.ts';
import { actorOf, routingParts } from './parts.ts';
import { type DocketFile, type FileRecord, openDocketFile } from './read-file.ts';
import { Sight } from './sight.ts';

export interface DocketImport {
  readonly path: string;
  readonly person: Person;
  readonly dryRun: boolean;
  /** The name of a shipped mapping, or a file that holds one: the input is then an office's own document. */
  readonly mapping?: string;
  readonly columns?: ColumnMapping;
  readonly errorFile?: string;
}

export interface DocketImportReport {
  readonly records: number;
  /** New; and what this person may not see counts as new too, as if nobody had it. */
  readonly created: number;
  readonly unchanged: number;
  /** Known events that came with other bytes. The first bytes stay. */
  readonly conflicts: number;
  /** Of all records: those whose schema drifted. They are routed as they are. */
  readonly drift: number;
  readonly refused: number;
  /** The first hundred; those of refused rows are all in the error file. */
  readonly errors: readonly (RowError & { readonly line: number })[];
  readonly errorFile: string | undefined;
  readonly skipped: readonly { readonly code: string; readonly count: number }[];
}

const REPORTED_ERRORS_MAX = 100;
/** Rows may be as large as a megabyte; this keeps a chunk of them from being held at once. */
const CHUNK_BYTES_MAX = 8 * 1024 * 1024;
/** Events of one file that are remembered to know a repeat, at about 500 bytes each. */
const SEEN_MAX = 1_000_000;

/** Chunks are transactions: an import that was cut off is run again, and finds what is there unchanged. */
export async function importDocketFile(
  app: Filewright,
  input: DocketImport,
): Promise<DocketImportReport> {
  const mapping = input.mapping === undefined ? undefined : await mappingNamed(input.mapping);
  const file = await openDocketFile(input.path, {
    ...(mapping === undefined ? {} : { mapping }),
    ...(input.columns === undefined ? {} : { columns: input.columns }),
  });
  const run = new ImportRun(app, input, file);
  try {
    await run.readAll();
    const errorFile = await run.errorFile?.finish();
    if (!input.dryRun) await sequenceAll(app);
    return run.report(errorFile);
  } catch (error) {
    await run.errorFile?.abandon();
    throw error;
  }
}

/** What a row is: something to route, or something for the person who brought it. */
interface Routable extends FileRecord {
  readonly reading: DocketReading;
}

interface SeenRecord {
  readonly sha256: Sha256Hex;
  readonly meaning: Meaning | undefined;
}

type Told = 'created' | 'unchanged' | 'conflicts';

class ImportRun {
  readonly errorFile: ErrorFile | undefined;
  readonly #app: Filewright;
  readonly #input: DocketImport;
  readonly #file: DocketFile;
  readonly #sight: Sight;
  readonly #errors: (RowError & { readonly line: number })[] = [];
  readonly #seen = new Map<string, SeenRecord>();
  readonly #tally = { records: 0, created: 0, unchanged: 0, conflicts: 0, drift: 0, refused: 0 };
  #waiting: Routable[] = [];
  #waitingBytes = 0;

  constructor(app: Filewright, input: DocketImport, file: DocketFile) {
    this.#app = app;
    this.#input = input;
    this.#file = file;
    this.#sight = new Sight(app, input.person);
    const format = file.errorFormat;
    this.errorFile =
      input.errorFile === undefined || input.dryRun || format === undefined
        ? undefined
        : new ErrorFile({ path: input.errorFile, unique: app.ids.next(), format });
  }

  async readAll(): Promise<void> {
    try {
      for await (const record of this.#file.records) await this.#take(record);
    } catch (error) {
      // The file cannot be read on, but what stands before the break is good.
      if (error instanceof FilewrightError && error.code === 'INPUT_MALFORMED') await this.#bring();
      throw error;
    }
    await this.#bring();
  }

  report(errorFile: string | undefined): DocketImportReport {
    const skipped = [...this.#file.skipped].map(([code, count]) => ({ code, count }));
    return { ...this.#tally, errors: this.#errors, errorFile, skipped };
  }

  /**
   * A wrong value goes back to whoever brought the file. Drift does not: the sender has changed, nobody knows what the
   * record says, and it is routed at once so that somebody looks at it.
   */
  async #take(record: FileRecord): Promise<void> {
    const { reading } = record;
    this.#tally.records += 1;
    if (reading.kind !== 'event') this.#note(record.line, reading.errors);
    if (reading.kind === 'fault' || reading.kind === 'refused') {
      this.#tally.refused += 1;
      if (record.row !== undefined) await this.errorFile?.add(record.row, reading.errors);
      return;
    }
    if (reading.kind === 'drift') this.#tally.drift += 1;
    this.#waiting.push({ ...record, reading });
    this.#waitingBytes += record.payload.length;
    if (this.#waiting.length >= CHUNK_ROWS || this.#waitingBytes >= CHUNK_BYTES_MAX) {
      await this.#bring();
    }
  }

  #note(line: number, errors: readonly RowError[]): void {
    for (const { where, ...error } of errors) {
      if (this.#errors.length >= REPORTED_ERRORS_MAX) return;
      this.#errors.push({ line, where: this.#file.placeOf(where), ...error });
    }
  }

  /** The source is not read on meanwhile: that is the back-pressure. */
  async #bring(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (waiting.length === 0) return;
    const incoming = waiting.map(({ payload, contentType, reading }) => ({
      payload,
      contentType,
      reading,
      source: basename(this.#input.path),
    }));
    const parts = routingParts(this.#app);
    const admitted = this.#input.dryRun
      ? await foresee(parts, incoming)
      : await importDockets(parts, incoming, actorOf(this.#input.person));
    for (const [at, record] of incoming.entries()) {
      const one = admitted[at];
      if (one === undefined) throw new Error('a record was not admitted');
      const inFile = this.#compareInFile(one.docket, this.#known(parts, record));
      this.#tally[await this.#told(one, inFile)] += 1;
    }
  }

  /**
   * Against the store for who may know what it holds; for anybody else against the rest of the file alone, so that the
   * counts are the same whether or not there is a hidden docket.
   */
  async #told({ kind, docket }: DocketAdmission, inFile: Told): Promise<Told> {
    if (kind === 'created' || !(await this.#sight.mayKnow(docket))) return inFile;
    return kind === 'unchanged' ? 'unchanged' : 'conflicts';
  }

  /** Whether two records say the same in other words, the store knows; a dry run has nobody else to ask. */
  #known(parts: RoutingParts, record: IncomingDocket): SeenRecord {
    if (!this.#input.dryRun) return { sha256: sha256Of(record.payload), meaning: undefined };
    const docket = docketFor(parts, record);
    return { sha256: docket.payloadSha256, meaning: meaningOf(docket) };
  }

  #compareInFile(docket: string, again: SeenRecord): Told {
    const first = this.#seen.get(docket);
    const { sha256 } = again;
    if (first !== undefined) {
      const isSame = first.sha256 === sha256 || isRespelled(first.meaning, again.meaning);
      return isSame ? 'unchanged' : 'conflicts';
    }
    if (this.#seen.size < SEEN_MAX) {
      this.#seen.set(docket, again);
    } else if (this.#input.dryRun) {
      const message = `Expected at most ${SEEN_MAX} events in a dry run, found more. Split the file.`;
      throw new FilewrightError('INPUT_LIMIT', message);
    }
    return 'created';
  }
}

/** What an import would find in the store, without changing it. */
async function foresee(
  parts: RoutingParts,
  incoming: readonly IncomingDocket[],
): Promise<readonly DocketAdmission[]> {
  const admitted: DocketAdmission[] = [];
  for (const { payload, reading } of incoming) {
    const docket = docketFor(parts, { payload, reading });
    const known = await foundDocket(parts, docket);
    const isSame =
      known?.payloadSha256 === docket.payloadSha256 ||
      // Written by the intake, from a docket.
      (known !== undefined &&
        isRespelled(meaningOf(known.docket as unknown as Docket), meaningOf(docket)));
    const kind = known === undefined ? 'created' : isSame ? 'unchanged' : 'conflict';
    admitted.push({ kind, docket: known?.id ?? docket.id });
  }
  return admitted;
}

/** By its event, or by its id where it came before identities were kept. */
async function foundDocket(
  { session, tenant }: RoutingParts,
  { id, messageId }: Docket,
): Promise<StoredDocket | undefined> {
  const known = await findByIdentity(session, tenant, messageId);
  return findDocket(session, tenant, known ?? id);
}

function docketFor(
  { tenant, law }: RoutingParts,
  { payload, reading }: Pick<IncomingDocket, 'payload' | 'reading'>,
): Docket {
  const payloadSha256 = sha256Of(payload);
  return reading.kind === 'event'
    ? docketOf(reading.event, { tenant, payloadSha256, rules: law().rules })
    : driftDocket(reading.glimpse, { tenant, payloadSha256 });
}
