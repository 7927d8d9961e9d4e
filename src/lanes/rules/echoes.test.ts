import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifySend, classifyStatus } from './classify.ts';
import { isSameName, ownOf } from './echoes.ts';
import type { Answer } from '../../core/exchange.ts';
import { idempotencyKey } from '../../core/ids.ts';
import type { Echo, Profile } from '../../core/profile.ts';
import { classifyRegistry } from './registry.ts';
import { KEYED, NOW } from '../../../test/fixtures/decisions.ts';

const KEY = idempotencyKey('fw1-0011');
const PAYLOAD = Buffer.from(
  JSON.stringify({ registry_number: 'C-0012345', filing_kind: 'annual_report', year: 2027 }),
);
const OWN = ownOf({ key: KEY }, PAYLOAD);

function answer(status: number, body: object): Answer {
  return {
    kind: 'answer',
    status,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
    bodyEnd: 'whole',
    bodySha256: '',
    elapsedMs: 1,
  };
}

const ECHOES: readonly Echo[] = [
  { at: '/key', of: 'key' },
  { at: '/entity', of: '/registry_number' },
  { at: '/for/kind', of: '/filing_kind' },
  { at: '/for/period', of: '/year' },
];
const OURS = { key: KEY, entity: 'C0012345', for: { kind: 'Annual Report', period: '2027' } };

function named(changes: Partial<Profile> = {}): Profile {
  return { ...KEYED, receipt: { ...KEYED.receipt, echoes: ECHOES }, ...changes };
}

function send(body: object, status = 200): object {
  return classifySend(answer(status, body), named(), OWN, NOW);
}

describe('an answer to a submission', () => {
  const receipt = 'R-1';

  it('is accepted when it names our filing, however it spells it', () => {
    expect(send({ receipt, ...OURS })).toEqual({ kind: 'accepted', receipt: { number: 'R-1' } });
  });

  it.each([
    ['another key', { key: 'fw1-0012' }, 'OTHER_KEY'],
    ['our key in another spelling', { key: 'FW1-0011' }, 'OTHER_KEY'],
    ['another entity', { entity: 'C0012346' }, 'OTHER_FILING'],
    ['another kind', { for: { kind: 'amendment', period: '2027' } }, 'OTHER_FILING'],
    ['another period', { for: { kind: 'annual_report', period: '2026' } }, 'OTHER_FILING'],
    ['nobody, where it should', { entity: undefined }, 'ECHO_MISSING'],
    ['an entity that is no text', { entity: ['C0012345'] }, 'ECHO_MISSING'],
  ])('with %s is unknown, and never accepted', (_what, changes, code) => {
    expect(send({ receipt, ...OURS, ...changes })).toEqual({ kind: 'unknown', code });
  });

  it.each([400, 422, 401, 404, 409, 418])(
    'of %i for another filing proves nothing about ours',
    (status) => {
      expect(send({ ...OURS, entity: '999' }, status)).toEqual({
        kind: 'unknown',
        code: 'OTHER_FILING',
      });
    },
  );

  it('that refuses need not name anyone', () => {
    expect(send({ error: 'too long' }, 422)).toEqual({ kind: 'rejected', code: 'HTTP_422' });
  });

  it('of 202 for another filing is no word that ours is processed', () => {
    expect(send({ submission: 'S', key: 'x' }, 202)).toEqual({
      kind: 'unknown',
      code: 'OTHER_KEY',
    });
    expect(send({ submission: 'S' }, 202)).toEqual({ kind: 'received', submissionId: 'S' });
  });

  it('that asks for a pause is obeyed, whomever it names, and proves nothing', () => {
    const throttle = { pauseMsMax: 1000, provesNothingTaken: true };
    const verdict = classifySend(answer(429, { key: 'x' }), named({ throttle }), OWN, NOW);
    expect(verdict).toMatchObject({ kind: 'throttled', written: true });
  });

  it('is compared with nothing where the payload has nothing', () => {
    const echoes = [{ at: '/entity', of: '/nowhere' }];
    const profile = named({ receipt: { ...KEYED.receipt, echoes } });
    expect(classifySend(answer(200, { receipt }), profile, OWN, NOW).kind).toBe('accepted');
  });

  it('on a page is read at the selectors', () => {
    const echoes = [{ at: '#entity', of: '/registry_number' }];
    const receiptRule = { ...KEYED.receipt, numberAt: '#number', echoes };
    const profile: Profile = { ...KEYED, driver: 'html-form', receipt: receiptRule };
    const page = (entity: string): Answer => ({
      ...answer(200, {}),
      page: { kind: 'confirmation', texts: { '#number': 'R-1', '#entity': entity } },
    });
    expect(classifySend(page('C 0012345'), profile, OWN, NOW).kind).toBe('accepted');
    expect(classifySend(page('C 0012344'), profile, OWN, NOW)).toEqual({
      kind: 'unknown',
      code: 'OTHER_FILING',
    });
  });
});

describe('a status answer', () => {
  const { status } = KEYED;
  const profile: Profile = {
    ...KEYED,
    ...(status === undefined ? {} : { status: { ...status, echoes: ECHOES.slice(1, 2) } }),
  };
  const ask = (body: object, code = 200): object =>
    classifyStatus(answer(code, body), profile, OWN, NOW);

  it.each(['A', 'R', 'P', 'N'])('%s about another entity is no answer', (state) => {
    expect(ask({ state, receipt: 'R-1', entity: 'C0012346' })).toEqual({
      kind: 'unclear',
      code: 'OTHER_FILING',
    });
  });

  it('must name the entity to be an acceptance, and need not to say that it knows nothing', () => {
    expect(ask({ state: 'A', receipt: 'R-1' })).toEqual({ kind: 'unclear', code: 'ECHO_MISSING' });
    expect(ask({ state: 'A', receipt: 'R-1', entity: 'c0012345' })).toMatchObject({
      kind: 'accepted',
    });
    expect(ask({ state: 'N' }, 404)).toEqual({ kind: 'not_found' });
  });
});

describe('a registry', () => {
  const profile: Profile = {
    ...KEYED,
    registry: {
      path: '/registry/{number}',
      numberAt: '/registry_number',
      pattern: '.+',
      stateAt: '/state',
      entityAt: '/number',
      active: ['ACTIVE'],
      inactive: ['DISSOLVED'],
      notFound: ['NONE'],
    },
  };
  const look = (body: object, status = 200): object =>
    classifyRegistry(answer(status, body), profile, '0042');

  it('that answers for another entity is unclear, whatever it says', () => {
    for (const state of ['ACTIVE', 'DISSOLVED', 'NONE']) {
      expect(look({ state, number: '43' })).toEqual({ kind: 'unclear', code: 'OTHER_ENTITY' });
    }
    expect(look({ state: 'ACTIVE' })).toEqual({ kind: 'unclear', code: 'OTHER_ENTITY' });
    expect(look({ state: 'ACTIVE', number: 42 })).toEqual({ kind: 'active' });
    expect(look({ state: 'NONE' }, 404)).toEqual({ kind: 'not_found' });
  });
});

describe('names', () => {
  it.each([
    ['C-0012 345', 'c0012345', true],
    ['0012', '12', true],
    ['12', '120', false],
    ['１２', '12', true],
    ['A1', 'A01', false],
    ['--', '__', false],
    ['', '', true],
  ])('%j and %j are one: %j', (one, other, same) => {
    expect(isSameName(one, other)).toBe(same);
  });

  it('are the same whatever separates them, and never when a letter or digit differs', () => {
    const digits = fc.stringMatching(/^[1-9A-Z]{3,12}$/);
    fc.assert(
      fc.property(digits, fc.constantFrom(' ', '-', '.', '/', '\u200b', '\u00ad'), (name, mark) => {
        expect(isSameName(name, name.split('').join(mark).toLowerCase())).toBe(true);
        expect(isSameName(name, `${name}0`)).toBe(false);
      }),
    );
  });
});
