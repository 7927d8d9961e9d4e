/** The ledger verifies, and says what the rows say. */
import { type Book, groupBy, type Rule, short } from './book.ts';
import { canonical, genesis, leafOf, readEntry, type ReadEntry, rootOf } from './ledger-reader.ts';

const ledgerVerifies: Rule = {
  name: 'ledger_verifies',
  check: ({ evidence }) => {
    const { origin, entries, waiting, rootHex } = evidence.ledger;
    const faults: string[] = [];
    if (waiting > 0) faults.push(`${waiting} facts were never sequenced`);
    let prev = genesis(origin);
    let ts = '';
    const ids = new Set<string>();
    const versions = new Map<string, number>();
    const leaves = entries.map((bytes, seq) => {
      const entry = readEntry(bytes);
      const { bytes: _, ...value } = entry;
      const fault = (what: string): number => faults.push(`entry ${seq} (${entry.type}): ${what}`);
      if (canonical(value) !== Buffer.from(bytes).toString('utf8')) fault('is not canonical');
      if (entry.v !== 1 || entry.log !== origin) fault('names another log or version');
      if (entry.seq !== seq) fault(`has the number ${entry.seq}`);
      if (entry.prev !== prev) fault('does not follow the one before');
      if (entry.ts < ts) fault('goes back in time');
      if (ids.has(entry.id)) fault('has an id that was there before');
      ids.add(entry.id);
      const subject = `${entry.subj.kind} ${entry.subj.id}`;
      const expected = (versions.get(subject) ?? 0) + 1;
      if (entry.subj.ver !== expected) {
        fault(`is version ${entry.subj.ver} of ${subject}, expected ${expected}`);
      }
      versions.set(subject, entry.subj.ver);
      const leaf = leafOf(bytes);
      prev = leaf.toString('hex');
      ts = entry.ts;
      return leaf;
    });
    const root = rootOf(leaves).toString('hex');
    if (rootHex !== undefined && root !== rootHex) faults.push(`root ${root}, head ${rootHex}`);
    return faults;
  },
};

/** Each filing's entries form one chain of states that ends where its row stands; every intent to send is there. */
const ledgerMatchesRows: Rule = {
  name: 'ledger_matches_rows',
  check: (book) => {
    const entries = book.evidence.ledger.entries.map(readEntry);
    const bySubject = groupBy(
      entries.filter(({ subj }) => subj.kind === 'filing'),
      ({ subj }) => subj.id,
    );
    const ids = new Set(entries.map(({ id }) => id));
    const missing = book.evidence.attempts
      .filter(({ action, id }) => (action === 'send' || action === 'resend') && !ids.has(id))
      .map(({ filing, no }) => `attempt ${no} of ${filing} is not in the ledger`);
    return [
      ...missing,
      ...book.evidence.filings.flatMap((filing) =>
        chainFaults(book, filing.id, bySubject.get(filing.id) ?? []).map(
          (fault) => `${short(filing.key)}: ${fault}`,
        ),
      ),
    ];
  },
};

function chainFaults(book: Book, filing: string, entries: readonly ReadEntry[]): string[] {
  let state: unknown = null;
  const faults: string[] = [];
  for (const { data, seq } of entries) {
    if (data['from'] !== state) faults.push(`entry ${seq} goes from ${String(data['from'])}`);
    state = data['to'];
  }
  const status = book.evidence.rows.find((row) => row.envelope.id === filing)?.status;
  if (state !== status) faults.push(`ends as ${String(state)}, the row is ${status}`);
  return faults;
}

export const LEDGER_RULES: readonly Rule[] = [ledgerVerifies, ledgerMatchesRows];
