/** Data sets of `reconcile.match` from files: a grantor ledger as JSON, and bank events as JSON or as the bank's own feed. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { badCase, type JsonValue, notFound, parseStrictJson } from '../core/index.ts';
import type * as grantsPack from '../grants/index.ts';
import type { BankLine, DatasetLibrary, MatchDataset } from '../grants/index.ts';

type Readers = Pick<
  typeof grantsPack,
  'linesOfFeed' | 'readBankEvents' | 'readFeed' | 'readLedger' | 'readPolicy'
>;

/** White space and the opening brace of a JSON document; no bank feed begins so. */
const JSON_START = /^\s*\{/;

export class DatasetFiles implements DatasetLibrary {
  readonly #readers: Readers;
  readonly #feeds = new Map<string, readonly BankLine[]>();
  readonly #known = new Map<string, MatchDataset>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  /** Reads the feeds that a case names; they are streams, and a case is answered at once. */
  async prepare(given: Readonly<Record<string, unknown>>): Promise<void> {
    for (const file of feedsNamedIn(given)) {
      if (this.#feeds.has(file) || JSON_START.test(readBytes(file).toString('latin1', 0, 64)))
        continue;
      const events = this.#readers.readFeed('detect', createReadStream(file));
      this.#feeds.set(file, (await this.#readers.linesOfFeed(file, events)).lines);
    }
  }

  /** `reco-001` is samples/grants/reco-001.ledger.json with reco-001.expected.json. */
  named(name: string): MatchDataset {
    // A name, never a way out of the folder.
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) {
      throw badCase('input.dataset: expected the name of a sample');
    }
    const base = join(samplesFolder(), name);
    return this.#read(name, `${base}.ledger.json`, [`${base}.expected.json`]);
  }

  /** Paths from where we are. */
  fromFiles({ ledger, bank }: Parameters<DatasetLibrary['fromFiles']>[0]): MatchDataset {
    return this.#read(ledger, ledger, bank);
  }

  #read(name: string, ledger: string, bank: readonly string[]): MatchDataset {
    const key = JSON.stringify([ledger, bank]);
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    if (bank.length === 0) throw badCase('input.bank: expected at least one file');
    const { readBankEvents, readLedger, readPolicy } = this.#readers;
    const documents = new Map(
      bank.filter((file) => !this.#feeds.has(file)).map((file) => [file, readDocument(file)]),
    );
    const expected = readDocument(ledger);
    // The policy stands with the bank's events; a feed brings none, so it may stand in the ledger.
    const [policyFile, policy] = [...documents][0] ?? [ledger, expected];
    const dataset: MatchDataset = {
      name,
      expectedPayments: readLedger(expected, ledger),
      lines: bank.flatMap((file) => {
        const document = documents.get(file);
        return document === undefined
          ? (this.#feeds.get(file) ?? [])
          : readBankEvents(document, file);
      }),
      policy: readPolicy(policy, policyFile),
    };
    this.#known.set(key, dataset);
    return dataset;
  }
}

/** What is no list of texts is refused where the case is read. */
function feedsNamedIn({ input }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof input !== 'object' || input === null || !('ledger' in input && 'bank' in input))
    return [];
  const named: readonly unknown[] = Array.isArray(input.bank) ? input.bank : [input.bank];
  return named.filter((file): file is string => typeof file === 'string');
}

function readDocument(file: string): JsonValue {
  const bytes = readBytes(file);
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badCase(`${file}: expected strict JSON: ${reason}`, {
      cause,
    });
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw notFound(`${file}: cannot be read`, { cause });
  }
}

/** From the sources as well as from the build. */
function samplesFolder(): string {
  const own = join('samples', 'grants');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, own))) {
    const parent = dirname(folder);
    if (parent === folder) throw notFound('folder samples/grants not found');
    folder = parent;
  }
  return join(folder, own);
}
