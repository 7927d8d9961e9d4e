import { findPageContradictions } from './page-contradictions.ts';
import { minuteOfDay, parseUrl } from './profile-fields.ts';
import { child, isRecord, type Issue } from './profile-issues.ts';
import { PROFILE_DEFAULTS } from './profile-schema.ts';

/**
 * Fields that are right one by one and wrong together. Takes the raw document and looks only at fields of the right
 * type, so that contradictions are reported in the same run as misspelt fields.
 */
export function findContradictions(document: unknown): readonly Issue[] {
  if (!isRecord(document)) return [];
  return [
    ...findPlainHttp(document),
    ...findMeaninglessKeys(document),
    ...findHeaderTwice(document),
    ...findHalfAnswerRules(document),
    ...findRulesOverReceipts(document),
    ...findAmbiguousStates(document),
    ...findReversedDelays(document),
    ...findEmptyHours(document),
    ...findMonthWithoutHours(document),
    ...findPageContradictions(document),
    ...findNulCharacters(document, ''),
  ];
}

type Document = Readonly<Record<string, unknown>>;

// Filings carry personal data and credentials; in the clear only inside the machine or a private network.
function findPlainHttp(document: Document): readonly Issue[] {
  const { baseUrl, allowPrivateAddresses } = document;
  if (typeof baseUrl !== 'string' || parseUrl(baseUrl)?.protocol !== 'http:') return [];
  if (allowPrivateAddresses === true) return [];
  return [
    {
      pointer: '/baseUrl',
      expected: 'https, or http together with allowPrivateAddresses: true',
      found: 'http',
    },
  ];
}

function findMeaninglessKeys(document: Document): readonly Issue[] {
  const honouredMs = numberAt(document, 'idempotency', 'honouredMs') ?? 0;
  if (honouredMs === 0) return [];
  const pointer = '/idempotency/honouredMs';
  const found = String(honouredMs);
  if (document['effect'] === 'notice') {
    // A notice is repeated anyway; the claim would look like a safeguard and be none.
    return [{ pointer, expected: '0 where effect is notice', found }];
  }
  const timeoutMs = numberAt(document, 'timeoutMs') ?? PROFILE_DEFAULTS.timeoutMs;
  // The first doubt arises after a timeout; a window that is over by then never allows a repeat.
  return honouredMs > timeoutMs
    ? []
    : [{ pointer, expected: `0, or more than timeoutMs (${timeoutMs})`, found }];
}

function findHeaderTwice(document: Document): readonly Issue[] {
  const idempotency = isRecord(document['idempotency']) ? document['idempotency'] : {};
  const named = idempotency['header'];
  const keyHeader = typeof named === 'string' ? named : PROFILE_DEFAULTS.idempotency.header;
  const seen = new Set([keyHeader.toLowerCase()]);
  return listAt(document, 'credentials').flatMap((credential, index) => {
    const header = isRecord(credential) ? credential['header'] : undefined;
    if (typeof header !== 'string') return [];
    const isTwice = seen.has(header.toLowerCase());
    seen.add(header.toLowerCase());
    const expected = 'a header that no other field of the profile names';
    return isTwice
      ? [{ pointer: `/credentials/${index}/header`, expected, found: JSON.stringify(header) }]
      : [];
  });
}

function findHalfAnswerRules(document: Document): readonly Issue[] {
  return listAt(document, 'answers').flatMap((rule, index) => {
    if (!isRecord(rule) || Object.hasOwn(rule, 'at') === Object.hasOwn(rule, 'equals')) return [];
    const found = Object.hasOwn(rule, 'at') ? 'at alone' : 'equals alone';
    return [{ pointer: `/answers/${index}`, expected: 'at and equals, or neither', found }];
  });
}

// A rule goes before the receipt. One for every answer with the status of a receipt would hide all receipts, and with
// the verdict transient each filing would be sent again after it was accepted.
function findRulesOverReceipts(document: Document): readonly Issue[] {
  const receipt = isRecord(document['receipt']) ? document['receipt'] : {};
  const taken = new Set<unknown>([...listAt(receipt, 'statuses'), RECEIVED]);
  return listAt(document, 'answers').flatMap((rule, index) => {
    if (!isRecord(rule) || Object.hasOwn(rule, 'at') || !taken.has(rule['status'])) return [];
    const expected = 'at and equals beside a status with which the portal takes filings';
    return [{ pointer: `/answers/${index}`, expected, found: `${String(rule['status'])} alone` }];
  });
}

const RECEIVED = 202;

// No header, path or form can hold one, and no database text either.
function findNulCharacters(value: unknown, pointer: string): readonly Issue[] {
  if (typeof value === 'string' && value.includes('\0')) {
    return [{ pointer, expected: 'a text without NUL characters', found: 'one with them' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inName = findNulCharacters(name, child(pointer, name.replaceAll('\0', '\ufffd')));
    return [...inName, ...findNulCharacters(member, child(pointer, name))];
  });
}

// A word that means two things would let the order of our code decide whether a filing counts as accepted.
function findAmbiguousStates(document: Document): readonly Issue[] {
  const status = document['status'];
  if (!isRecord(status)) return [];
  const meaningOf = new Map<unknown, string>();
  return ['accepted', 'refused', 'processing', 'notFound'].flatMap((meaning) =>
    listAt(status, meaning).flatMap((word, index) => {
      const other = meaningOf.get(word);
      meaningOf.set(word, meaning);
      if (other === undefined) return [];
      const expected = `a word that ${other} does not list`;
      return [{ pointer: `/status/${meaning}/${index}`, expected, found: JSON.stringify(word) }];
    }),
  );
}

function findReversedDelays(document: Document): readonly Issue[] {
  const min = numberAt(document, 'retry', 'delayMsMin') ?? PROFILE_DEFAULTS.retry.delayMsMin;
  const max = numberAt(document, 'retry', 'delayMsMax') ?? PROFILE_DEFAULTS.retry.delayMsMax;
  if (min <= max) return [];
  return [
    { pointer: '/retry/delayMsMin', expected: `at most delayMsMax (${max})`, found: String(min) },
  ];
}

function findEmptyHours(document: Document): readonly Issue[] {
  if (!isRecord(document['hours'])) return [];
  return listAt(document['hours'], 'weekly').flatMap((span, index) => {
    if (!isRecord(span)) return [];
    const { from, to } = span;
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    const opens = minuteOfDay(from);
    const closes = minuteOfDay(to);
    if (opens === undefined || closes === undefined || opens < closes) return [];
    const expected = `a time after ${from}; hours past midnight are two entries`;
    return [{ pointer: `/hours/weekly/${index}/to`, expected, found: JSON.stringify(to) }];
  });
}

// When a month begins for a portal depends on its zone and its doors; without them early filings would go out.
function findMonthWithoutHours(document: Document): readonly Issue[] {
  const { hours, limits } = document;
  if (hours !== undefined || !isRecord(limits) || limits['notBeforePeriod'] === undefined)
    return [];
  return [
    { pointer: '/hours', expected: 'hours, because of /limits/notBeforePeriod', found: 'nothing' },
  ];
}

function listAt(record: Document, name: string): readonly unknown[] {
  const value = record[name];
  return Array.isArray(value) ? value : [];
}

function numberAt(document: Document, ...names: readonly string[]): number | undefined {
  let value: unknown = document;
  for (const name of names) value = isRecord(value) ? value[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}
