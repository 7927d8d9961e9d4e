import { describe, expect, it } from 'vitest';
import { FILING_STATUSES, LEGAL_TRANSITIONS } from '../core/filing.ts';
import type { LedgerEntry } from './entry-type.ts';
import { FilingHistory } from './filing-history.ts';

const base: LedgerEntry = {
  v: 1,
  log: 'l/t/filing',
  seq: 0,
  prev: '',
  ts: '',
  at: '',
  id: '',
  type: 'filing.state',
  subj: { kind: 'filing', id: 'F-1', ver: 1 },
  actor: { kind: 'service', id: 'filer' },
  trace: '',
  cls: 'internal',
  data: {},
  body: null,
};
const intent: LedgerEntry = { ...base, type: 'filing.intent' };
const envelope: LedgerEntry = {
  ...base,
  type: 'dlq.enveloped',
  subj: { kind: 'exception', id: 'X-1', ver: 1 },
  data: { filing: 'F-1' },
};
function move(from: string | null, to: string, id = 'F-1'): LedgerEntry {
  return { ...base, subj: { kind: 'filing', id, ver: 1 }, data: { from, to } };
}

const withdrawn: LedgerEntry = {
  ...move('pending', 'rejected'),
  data: { from: 'pending', to: 'rejected', cause: 'withdraw' },
};

/** The answers to all entries but the last must be "nothing wrong". */
function lastFault(...entries: readonly LedgerEntry[]): string | undefined {
  const history = new FilingHistory();
  const faults = entries.map((entry) => history.check(entry));
  expect(faults.slice(0, -1).filter((fault) => fault !== undefined)).toEqual([]);
  return faults.at(-1);
}

const pathTo: Record<string, readonly LedgerEntry[]> = {
  null: [],
  pending: [move(null, 'pending')],
  submitted: [move(null, 'pending'), move('pending', 'submitted')],
  accepted: [move(null, 'pending'), move('pending', 'submitted'), move('submitted', 'accepted')],
  rejected: [
    move(null, 'pending'),
    move('pending', 'submitted'),
    envelope,
    move('submitted', 'rejected'),
  ],
  fallout: [move(null, 'pending'), envelope, move('pending', 'fallout')],
};

describe('the state machine replayed from the ledger', () => {
  it('allows exactly the legal transitions, from every status', () => {
    for (const from of [null, ...FILING_STATUSES]) {
      for (const to of FILING_STATUSES) {
        const legal = LEGAL_TRANSITIONS.some((row) => row.from === from && row.to === to);
        const last = from === 'pending' && to === 'rejected' ? withdrawn : move(from, to);
        const fault = lastFault(...(pathTo[String(from)] ?? []), envelope, last);
        expect(fault, `${from} → ${to}`).toBe(legal ? undefined : 'ILLEGAL_TRANSITION');
      }
    }
  });

  const submitted = pathTo.submitted ?? [];
  const accepted = pathTo.accepted ?? [];
  const fallout = pathTo.fallout ?? [];
  const rejected = pathTo.rejected ?? [];
  const replayed = [...fallout, move('fallout', 'pending')];
  it.each<[string, string | undefined, readonly LedgerEntry[]]>([
    [
      'a from that is not the status so far',
      'ILLEGAL_TRANSITION',
      [...submitted, move('pending', 'submitted')],
    ],
    ['a filing that starts in the middle', 'ILLEGAL_TRANSITION', [move('pending', 'submitted')]],
    ['a second creation', 'ILLEGAL_TRANSITION', [...submitted, move(null, 'pending')]],
    ['an unknown status', 'ILLEGAL_TRANSITION', [...submitted, move('submitted', 'done')]],
    ['an intent before acceptance', undefined, [...submitted, intent]],
    ['an intent after acceptance', 'SUBMIT_AFTER_ACCEPT', [...accepted, intent]],
    [
      'an intent after acceptance that is a transition too',
      'SUBMIT_AFTER_ACCEPT',
      [...accepted, { ...intent, data: { from: 'pending', to: 'submitted' } }],
    ],
    ['an entry about an accepted filing that changes nothing', undefined, [...accepted, base]],
    ['a rejection with its envelope', undefined, rejected],
    [
      'a rejection without one',
      'FALLOUT_WITHOUT_ENVELOPE',
      [...submitted, move('submitted', 'rejected')],
    ],
    [
      'a fallout without one',
      'FALLOUT_WITHOUT_ENVELOPE',
      [move(null, 'pending'), move('pending', 'fallout')],
    ],
    [
      'a second fallout on the first envelope',
      'FALLOUT_WITHOUT_ENVELOPE',
      [...replayed, move('pending', 'fallout')],
    ],
    [
      'a second fallout with a second envelope',
      undefined,
      [...replayed, envelope, move('pending', 'fallout')],
    ],
    ['a review that closes a fallout', undefined, [...fallout, move('fallout', 'rejected')]],
    [
      'an envelope for another filing',
      'FALLOUT_WITHOUT_ENVELOPE',
      [move(null, 'pending'), { ...envelope, data: { filing: 'F-2' } }, move('pending', 'fallout')],
    ],
    ['a withdrawal of what was never sent', undefined, [move(null, 'pending'), withdrawn]],
    [
      'a refusal of what was never sent',
      'ILLEGAL_TRANSITION',
      [move(null, 'pending'), envelope, move('pending', 'rejected')],
    ],
    [
      'a withdrawal of what was sent before',
      'ILLEGAL_TRANSITION',
      [...submitted, move('submitted', 'pending'), withdrawn],
    ],
    [
      'anything after a withdrawal',
      'ILLEGAL_TRANSITION',
      [move(null, 'pending'), withdrawn, move('rejected', 'pending')],
    ],
    [
      'a withdrawal that is another change',
      'ILLEGAL_TRANSITION',
      [...submitted, { ...withdrawn, data: { ...withdrawn.data, from: 'submitted' } }],
    ],
    ['another filing in the same status', undefined, [...accepted, move(null, 'pending', 'F-2')]],
    [
      'another kind of subject with the same id',
      undefined,
      [...accepted, { ...move('open', 'closed'), subj: { kind: 'lane', id: 'F-1', ver: 1 } }],
    ],
  ])('%s', (_name, fault, entries) => {
    expect(lastFault(...entries)).toBe(fault);
  });
});
