/** The world outside: grantors whose ledgers answer or do not, and the eyes of a person who looks things up. */
import type { BoundaryFailure } from '../../src/grants/rules/intake/failures.ts';
import type { DocumentLane, GrantorLedger } from '../../src/grants/pipeline/contracts.ts';
import { Draw } from '../world/draw.ts';
import { type Book, isAccepted, type Promised } from './book-of-seed.ts';
import { PAYER } from './documents.ts';
import type { ReadAtTarget } from './evidence.ts';
import type { Stand } from './stand.ts';

const TRANSIENT: readonly BoundaryFailure[] = [
  { kind: 'http', status: 429 },
  { kind: 'http', status: 502 },
  { kind: 'http', status: 503 },
  { kind: 'network', code: 'ENOTFOUND' },
  { kind: 'network', code: 'ERR_TLS_HANDSHAKE_TIMEOUT' },
];
const PERMANENT: readonly BoundaryFailure[] = [400, 401, 403, 404].map((status) => ({
  kind: 'http',
  status,
}));

export class Targets {
  readonly reads: ReadAtTarget[] = [];
  readonly #book: Book;
  readonly #stand: Stand;
  readonly #documentHashes: readonly string[];
  readonly #draw: Draw;

  constructor(seed: number, book: Book, stand: Stand, documentHashes: readonly string[]) {
    this.#book = book;
    this.#stand = stand;
    this.#documentHashes = documentHashes;
    this.#draw = new Draw(seed, 'targets');
  }

  readonly ledger: GrantorLedger = {
    code: 'GRANTS',
    mayRead: () => true,
    read: async (grantor) => {
      const attemptsOnRecord = await this.#count(
        `select count(*)::int as n from question_try s
         join question v on v.tenant = s.tenant and v.id = s.question
         where s.tenant = $1 and s.kind = 'attempt' and v.purpose = 'verification' and v.subject = $2`,
        [grantor],
      );
      const answer = this.#draw.weighted({ good: 5, transient: 5, permanent: 1 });
      this.reads.push({ at: this.#stand.now(), subject: grantor, answer, attemptsOnRecord });
      if (answer === 'good') return { kind: 'read', document: { ledger: this.#ledgerOf(grantor) } };
      const failure = this.#draw.pick(answer === 'transient' ? TRANSIENT : PERMANENT);
      return { kind: 'failed', failure };
    },
  };

  /** A document of the book, behind a portal that is not always there. */
  documents(lines: readonly string[]): DocumentLane {
    const body = Buffer.from(lines.join('\n'));
    return {
      code: 'GRANTS',
      mayRead: () => true,
      read: async (path) => {
        const [row] = await this.#rows(
          `select count(s.question)::int as n,
             coalesce(max(f.seen_bytes) filter (where f.state = 'waiting'), 0)::int as seen
           from question f left join question_try s on s.tenant = f.tenant and s.question = f.id
             and s.kind = 'attempt' where f.tenant = $1 and f.purpose = 'fetch' and f.subject = $2`,
          [path],
        );
        // Nobody can notice that a document has changed of which nothing was ever seen.
        const changed = Number(row?.['seen'] ?? 0) > 0 ? 4 : 0;
        const answer = this.#draw.weighted({
          good: 5,
          transient: 4,
          permanent: 1,
          cut: 2,
          changed,
        });
        const attemptsOnRecord = Number(row?.['n'] ?? 0);
        this.reads.push({ at: this.#stand.now(), subject: path, answer, attemptsOnRecord });
        switch (answer) {
          case 'good':
            return { failure: undefined, body };
          case 'changed':
            return { failure: undefined, body: Buffer.concat([Buffer.from(' '), body]) };
          case 'cut':
            return {
              failure: { kind: 'network', code: 'ECONNRESET' },
              body: body.subarray(0, this.#draw.int(1, body.length - 1)),
            };
          case 'transient':
          case 'permanent':
            return {
              failure: this.#draw.pick(answer === 'transient' ? TRANSIENT : PERMANENT),
              body: undefined,
            };
        }
      },
    };
  }

  /** Whether anything waits to be read again. */
  async isWaiting(): Promise<boolean> {
    const rows = await this.#rows(
      `select 1 from question where tenant = $1 and state = 'waiting'`,
      [],
    );
    return rows.length > 0;
  }

  /** Whether a document of the book is in the books of the office. */
  async hasDocument(document: number): Promise<boolean> {
    const text = `select 1 from grant_document where tenant = $1 and id = $2`;
    return (await this.#rows(text, [this.#documentHashes[document]])).length > 0;
  }

  #ledgerOf(grantor: string) {
    return this.#book.promised
      .filter((award) => award.grantor === grantor)
      .filter(({ fate }) => isAccepted(fate) || fate === 'corrected')
      .map(({ number, reference, cents, expectedOn }) => ({
        id: number,
        payer: PAYER,
        ref: reference,
        amount: cents,
        currency: 'USD',
        expected: expectedOn,
      }));
  }

  /** The bank's number of a line. */
  async numberOfLine(id: string): Promise<string> {
    const [feed = '', ordinal = ''] = id.split('#');
    const text = `select native_id from grant_line where tenant = $1 and feed = $2 and ordinal = $3`;
    const [row] = await this.#rows(text, [feed, Number(ordinal)]);
    return String(row?.['native_id']);
  }

  /** Under which key an award came in. */
  async keyOf({ document, ordinal }: Promised): Promise<string> {
    const text = `select key from grant_award where tenant = $1 and document = $2 and ordinal = $3`;
    const [row] = await this.#rows(text, [this.#documentHashes[document], ordinal]);
    return String(row?.['key']);
  }

  async #count(text: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.#rows(text, values);
    return Number(row?.['n']);
  }

  #rows(text: string, values: readonly unknown[]) {
    return this.#stand.session.run({ name: '', text }, [this.#stand.tenant, ...values]);
  }
}
