/**
 * The deadline defense pack: one folder about one filing for somebody who trusts nobody here. Everything in it is bound
 * to a signed log: the payload by its hash in an entry, answers by the commitment in theirs, entries by their proofs.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  FilewrightError,
  instant,
  type JsonValue,
  overLimit,
  parseStrictJson,
  pointer,
  sha256Of,
  toRfc3339,
} from '../../core/index.ts';
import {
  BodyCollector,
  type FoundBody,
  shreddedByEntries,
  entriesBetween,
  entriesOfFiling,
  type FiledEntry,
  type Installation,
  type LedgerEntry,
  parseEntry,
  type SignedLog,
  signedLog,
  signNow,
  VERIFIERS,
  verifierScript,
  writePack,
} from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import { type FilingView, findFiling } from '../store/filings.ts';
import { findBatch } from '../store/batches.ts';
import { ExportFolder } from '../../system/index.ts';
import { discloseBody, disclosureText } from './defense-bodies.ts';
import { bodyKind, writeEvidence } from './defense-evidence.ts';
import { type AttemptWord, carriedBy } from '../rules/left.ts';
import { attemptWords, deadlineOf, tiersOf } from './defense-history.ts';
import { courtText } from './defense-texts.ts';
import { allowOnDesk } from './desk.ts';

/** A response is kept up to 8 MiB and stands in its record as base64, some of them twice. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** A filing has a handful of entries for each attempt; far more would not be one filing's. */
const ENTRIES_MAX = 20_000;
/** Times are compared as texts of four-digit years. */
const LAST_MOMENT = instant(Date.UTC(9999, 11, 31));

interface DefensePack {
  readonly folder: string;
  readonly filing: FilingView;
  readonly entries: number;
  readonly payloads: number;
  readonly answers: number;
  /** Bodies that were destroyed after their time; their entries and proofs are there all the same. */
  readonly shredded: number;
  readonly logs: readonly string[];
  readonly files: number;
}

export async function defendFiling(
  app: Installation,
  actor: Actor,
  request: { readonly filing: string; readonly folder: string },
): Promise<DefensePack> {
  allow(actor, 'filing.defend');
  const filing = await findFiling(app.session, app.tenant, request.filing);
  await allowOnDesk(app, actor, 'filing.defend', { kind: 'filing', id: filing.id });
  await noteOpened(app, actor, 'filing.defend', filing.id);
  return ExportFolder.fill(
    request.folder,
    () => true,
    (folder) => writeDefense(app, filing, actor, folder),
  );
}

async function writeDefense(
  app: Installation,
  filing: FilingView,
  by: PersonActor,
  folder: ExportFolder,
): Promise<DefensePack> {
  const signed = await signNow(app, by);
  const log = await signedLog(app, signed, 'filing');
  const filed = await collected(entriesOfFiling(app.session, app.tenant, filing.id));
  const entries = filed.map(({ bytes }) => parseEntry(bytes));
  const opened = await writeBodies(app, log, entries, folder);

  const packs: { log: SignedLog; entries: readonly FiledEntry[] }[] = [{ log, entries: filed }];
  const approvals = await approvalsOf(app, signed, filing);
  if (approvals !== undefined) packs.push(approvals);
  const order = await spineHeadOf(app, signed, log);
  if (order !== undefined) packs.push(order);
  for (const pack of packs) {
    const prefix = `logs/${pack.log.boundary}/`;
    await writePack(app, pack.log, pack.entries, { folder, prefix }, { bodies: false });
  }

  const deadline = await deadlineOf(app, filing, entries);
  const tiers = tiersOf(entries);
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  await folder.write('attempts/attempts.json', json(opened.attempts));
  await folder.write('deadline.json', json(deadline));
  await folder.write('tiers.json', json(tiers));
  const receipt = receiptOf(filing, entries);
  if (receipt !== undefined) await folder.write('receipt.json', json(receipt));
  for (const name of VERIFIERS) await folder.write(name, verifierScript(name));
  await folder.write(
    'README.txt',
    courtText({
      filing,
      deadline,
      tiers,
      receipt,
      packs: packs.map((pack) => ({ log: pack.log, entries: pack.entries.length })),
      attempts: opened.attempts.length,
      carried: carriedBy([...attemptWords(entries).values()]),
      shredded: opened.shredded,
      madeAt: toRfc3339(app.clock.now()),
      madeBy: by.name,
    }),
  );
  await folder.writeManifest();
  return {
    folder: folder.path,
    filing,
    entries: filed.length,
    payloads: opened.payloads,
    answers: opened.answers,
    shredded: opened.shredded,
    logs: packs.map((pack) => pack.log.origin),
    files: folder.files,
  };
}

interface AttemptLine {
  readonly attempt: JsonValue;
  readonly entry: number;
  readonly at: string;
  readonly type: string;
  /** Whether anything left: an intent is committed before the last gate is asked. */
  readonly what: AttemptWord;
  readonly verdict: JsonValue;
  readonly code: JsonValue;
  /** File with the exact answer, where one came and was kept. */
  readonly answer?: string;
}

interface OpenedBodies {
  readonly attempts: readonly AttemptLine[];
  readonly payloads: number;
  readonly answers: number;
  readonly shredded: number;
}

/** Opens every sealed body of the filing, writes it as a reader wants it, and beside it what checks it. */
async function writeBodies(
  app: Installation,
  log: SignedLog,
  entries: readonly LedgerEntry[],
  folder: ExportFolder,
): Promise<OpenedBodies> {
  const files = new Map<number, string>();
  let [payloads, answers, shredded] = [0, 0, 0];
  const take = async (found: FoundBody): Promise<void> => {
    const { entry } = found;
    const disclosure = discloseBody(app, found);
    if (disclosure === undefined) {
      shredded += 1;
      return;
    }
    await folder.write(
      `logs/filing/disclosed/${entry.id}.json`,
      disclosureText(entry.id, disclosure),
    );
    const { canonical } = disclosure;
    switch (bodyKind(entry)) {
      case 'answer':
        answers += 1;
        files.set(entry.seq, await writeAnswer(folder, entry, canonical));
        break;
      case 'exception':
        await folder.write(`exceptions/entry-${entry.seq}.json`, canonical);
        break;
      case 'payload':
        await folder.write(payloadName(entry), checkedPayload(entry, canonical));
        payloads += 1;
        break;
      case 'evidence':
        await writeEvidence(folder, entry, canonical);
        break;
      case 'other':
        await folder.write(`other/entry-${entry.seq}.json`, canonical);
        break;
    }
  };
  const collector = new BodyCollector(app, log.boundary, take, shreddedByEntries(app));
  for (const entry of entries) await collector.add(entry);
  await collector.finish();
  const words = attemptWords(entries);
  const attempts = entries
    .filter(({ type }) => type === 'filing.intent' || type === 'filing.outcome')
    .map(({ seq, at, type, data }): AttemptLine => {
      const answer = files.get(seq);
      return {
        attempt: data['attempt'] ?? null,
        entry: seq,
        at,
        type,
        what: words.get(JSON.stringify(data['attempt'])) ?? 'none',
        verdict: data['verdict'] ?? null,
        code: data['code'] ?? null,
        ...(answer === undefined ? {} : { answer }),
      };
    });
  return { attempts, payloads, answers, shredded };
}

function payloadName(entry: LedgerEntry): string {
  const revision = entry.data['revision'];
  return typeof revision === 'number'
    ? `payload/revision-${revision}-entry-${entry.seq}.json`
    : `payload/entry-${entry.seq}.json`;
}

/** The bytes that were frozen are named by their hash in the entry; another hash would defend nobody. */
function checkedPayload(entry: LedgerEntry, bytes: Uint8Array): Uint8Array {
  const named = entry.data['payload_sha256'];
  const found = sha256Of(bytes);
  if (named === undefined || named === found) return bytes;
  throw new FilewrightError(
    'LEDGER_BROKEN',
    `Entry ${entry.seq} names a payload with the SHA-256 ${JSON.stringify(named)}, and its sealed body has ${found}`,
    { details: { seq: entry.seq } },
  );
}

/** The exchange as it was recorded, and beside it the body of the answer to the byte. */
async function writeAnswer(
  folder: ExportFolder,
  entry: LedgerEntry,
  canonical: Uint8Array,
): Promise<string> {
  const name = `attempts/attempt-${JSON.stringify(entry.data['attempt'] ?? null)}-entry-${entry.seq}`;
  await folder.write(`${name}.json`, canonical);
  const exchange = parseStrictJson(canonical, { bytesMax: BODY_BYTES_MAX });
  for (const place of ['/body_base64', '/answer/body_base64']) {
    const body = pointer(exchange, place);
    if (typeof body !== 'string') continue;
    await folder.write(`${name}.body`, Buffer.from(body, 'base64'));
    break;
  }
  return `${name}.json`;
}

function receiptOf(
  filing: FilingView,
  entries: readonly LedgerEntry[],
): { readonly number: string; readonly recorded_at: string; readonly entry: number } | undefined {
  // The entry that says this very number: of a slip that was corrected, the correction.
  const accepted =
    entries.findLast(
      ({ data }) => data['receipt'] === filing.receipt && data['cause'] === 'hand_correct',
    ) ?? entries.findLast(({ data }) => data['to'] === 'accepted');
  if (filing.receipt === undefined || accepted === undefined) return undefined;
  return { number: filing.receipt, recorded_at: accepted.at, entry: accepted.seq };
}

/** Who approved the batch of the filing; it is in the log of people's acts. */
async function approvalsOf(
  app: Installation,
  signed: readonly SignedLog[],
  filing: FilingView,
): Promise<{ log: SignedLog; entries: readonly FiledEntry[] } | undefined> {
  const log = signed.find(({ boundary }) => boundary === 'access');
  if (log === undefined) return undefined;
  const batch = await findBatch(app.session, app.tenant, filing.batch);
  const entries = await collected(
    entriesBetween(app.session, log, { from: instant(batch.preparedAt), to: LAST_MOMENT }),
    (entry) =>
      entry.seq < log.checkpoint.size &&
      (entry.subj.id === batch.id || entry.data['batch'] === batch.id),
  );
  return entries.length === 0 ? undefined : { log, entries };
}

/** The entry of the spine that holds the very head of this pack: it fixes its place among all other logs. */
async function spineHeadOf(
  app: Installation,
  signed: readonly SignedLog[],
  log: SignedLog,
): Promise<{ log: SignedLog; entries: readonly FiledEntry[] } | undefined> {
  const spine = signed.find(({ boundary }) => boundary === 'spine');
  if (spine === undefined) return undefined;
  const from = log.checkpoint.signedAt;
  const entries = await collected(
    entriesBetween(app.session, spine, { from, to: LAST_MOMENT }),
    ({ seq, data }) =>
      seq < spine.checkpoint.size &&
      data['origin'] === log.origin &&
      data['size'] === log.checkpoint.size,
  );
  return entries.length === 0 ? undefined : { log: spine, entries };
}

async function collected(
  entries: AsyncIterable<FiledEntry>,
  isWanted: (entry: LedgerEntry) => boolean = () => true,
): Promise<readonly FiledEntry[]> {
  const all: FiledEntry[] = [];
  for await (const entry of entries) {
    if (!isWanted(parseEntry(entry.bytes))) continue;
    all.push(entry);
    if (all.length > ENTRIES_MAX) {
      throw overLimit(`More than ${ENTRIES_MAX} entries for one filing`);
    }
  }
  return all;
}
