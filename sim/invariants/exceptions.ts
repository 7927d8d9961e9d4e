/** Whatever leaves automation lies with a person in one sealed envelope that holds everything. */
import { createHash } from 'node:crypto';
import type { Exchange } from '../../src/core/exchange.ts';
import type { ExceptionRow } from '../../src/testing/memory/rows.ts';
import type { FilingVersion } from '../evidence.ts';
import type { SimFiling } from '../world/filings-of-seed.ts';
import { type Book, type Rule, short } from './book.ts';
import { canonical, readEntry } from './ledger-reader.ts';
import { unseal } from './unseal.ts';

const oneEnvelope: Rule = {
  name: 'fallout_envelope',
  check: (book) => {
    const { evidence } = book;
    const enveloped = new Map(
      evidence.ledger.entries
        .map(readEntry)
        .filter(({ type }) => type === 'dlq.enveloped')
        .map((entry) => [entry.body?.ct ?? '', entry]),
    );
    return evidence.filings.flatMap((filing) => {
      const occurrences = occurrencesOf(book, filing);
      const rows = evidence.exceptions.filter((row) => row.filing === filing.id);
      if (rows.length !== occurrences.length) {
        return [
          `${short(filing.key)} fell out ${occurrences.length} times, has ${rows.length} envelopes`,
        ];
      }
      return rows.flatMap((row, index) => {
        const occurrence = occurrences[index];
        const entry = enveloped.get(row.ct);
        if (entry?.body === null || entry?.body === undefined || occurrence === undefined) {
          return [`${short(filing.key)} has an envelope that the ledger does not know`];
        }
        return envelopeFaults(book, filing, { row, occurrence, cm: entry.body.cm }).map(
          (fault) => `${short(filing.key)}: ${fault}`,
        );
      });
    });
  },
};

/** Each time it became rejected or fell out, with the version before. */
function occurrencesOf(
  book: Book,
  filing: SimFiling,
): { before: FilingVersion; now: FilingVersion }[] {
  const versions = book.versions(filing.id);
  return versions.flatMap((now, index) => {
    const before = versions[index - 1];
    const { status } = now.row;
    const isException = status === 'rejected' || status === 'fallout';
    return before !== undefined && isException && before.row.status !== status
      ? [{ before, now }]
      : [];
  });
}

function envelopeFaults(
  book: Book,
  filing: SimFiling,
  what: {
    readonly row: ExceptionRow;
    readonly occurrence: { readonly before: FilingVersion };
    readonly cm: string;
  },
): string[] {
  const { origin } = book.evidence.ledger;
  const { tenantKey } = book.evidence;
  const parts = book.evidence.sealed(what.row.ct);
  const body = unseal(parts, { origin, tenantKey, cm: what.cm });
  // Compared field by field below.
  const envelope = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const faults: string[] = [];
  const payload = Buffer.from(String(envelope['payload_base64']), 'base64');
  if (!payload.equals(filing.payload)) faults.push('the envelope has other bytes');
  const sha256 = createHash('sha256').update(payload).digest('hex');
  if (sha256 !== envelope['payload_sha256'] || sha256 !== filing.payloadSha256) {
    faults.push('the envelope has another hash');
  }
  if (envelope['key'] !== filing.key) faults.push('the envelope names another key');
  const { before } = what.occurrence;
  const trace = before.row.attemptId ?? '';
  if (envelope['trace'] !== trace)
    faults.push(`the envelope's trace is ${String(envelope['trace'])}`);
  const expected = canonical(lastResponse(book, before));
  const found = canonical(envelope['response']);
  if (expected !== found)
    faults.push(`response ${found.slice(0, 90)}, expected ${expected.slice(0, 90)}`);
  return faults;
}

/** What the claim's own request was told; null where the filing came to a person without one. */
function lastResponse(book: Book, { row }: FilingVersion): unknown {
  if (row.claim !== 'turn') return null;
  const flight = book.evidence.flights.find((other) => {
    const attempt = other.key === row.envelope.key ? book.attemptOf(other) : undefined;
    return attempt?.no === row.attempt && attempt.holder === row.holder;
  });
  const exchange = flight?.exchange;
  if (exchange === undefined) return null;
  const isUnsent =
    exchange.kind === 'failure' && exchange.code === 'lease_lost' && !exchange.written;
  return isUnsent ? null : shown(exchange);
}

function shown(exchange: Exchange): unknown {
  if (exchange.kind === 'failure') {
    const { code, written, message, elapsedMs } = exchange;
    return { kind: 'failure', code, written, message, elapsed_ms: Math.round(elapsedMs) };
  }
  return {
    kind: 'answer',
    status: exchange.status,
    headers: exchange.headers,
    body_base64: Buffer.from(exchange.body).toString('base64'),
    body_sha256: createHash('sha256').update(exchange.body).digest('hex'),
    body_end: exchange.bodyEnd,
    elapsed_ms: Math.round(exchange.elapsedMs),
  };
}

export const EXCEPTION_RULES: readonly Rule[] = [oneEnvelope];
