import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, type Obligation, obligationKey } from './identity.ts';

const ENTITY = {
  pack: 'entity',
  tenant: 'acme',
  jurisdiction: 'US-DE',
  registryNumber: '1234567',
  filingKind: 'annual-report',
  period: '2026',
} as const;
const PATENT = {
  pack: 'patent',
  tenant: 'acme',
  office: 'EP',
  applicationNumber: '19123456.7',
  eventCode: 'R71(3)',
  eventDate: '2026-03-02',
} as const;
const GRANTS = {
  pack: 'grants',
  tenant: 'acme',
  sourceDocument: 'statement-7',
  lineOrdinal: 3,
  contentSha256: 'ab'.repeat(32),
} as const;
const ALL: readonly Obligation[] = [ENTITY, PATENT, GRANTS];

/** Each part of each obligation changed, one at a time. */
const VARIANTS: readonly Obligation[] = [
  { ...ENTITY, tenant: 'other' },
  { ...ENTITY, jurisdiction: 'US-CA' },
  { ...ENTITY, registryNumber: '1234568' },
  { ...ENTITY, filingKind: 'franchise-tax' },
  { ...ENTITY, period: '2027' },
  { ...PATENT, tenant: 'other' },
  { ...PATENT, office: 'US' },
  { ...PATENT, applicationNumber: '19123457.5' },
  { ...PATENT, eventCode: 'R161' },
  { ...PATENT, eventDate: '2026-03-03' },
  { ...GRANTS, tenant: 'other' },
  { ...GRANTS, sourceDocument: 'statement-8' },
  { ...GRANTS, lineOrdinal: 4 },
  { ...GRANTS, contentSha256: 'cd'.repeat(32) },
];

describe('identity', () => {
  it('is stable between releases: these keys are in portals and ledgers', () => {
    expect(ALL.map((one) => keyOf(one, 1))).toEqual([
      'fw1-49ec65c0f11883e0b4e9cc636ec80ae2',
      'fw1-7ec218d12304790abb0c187e0e9e4749',
      'fw1-9ac2578cecc49eba7275e693326522c5',
    ]);
    expect(ALL.map((one) => obligationKey(one))).toEqual([
      'fwo1-cbf15b61e4d3048369ec0b4eb75f84a5',
      'fwo1-53ef959e55e38918816c01a63d13f35d',
      'fwo1-e31df9a805ba67443747b7fc787bcd79',
    ]);
  });

  it('changes with every part of the obligation', () => {
    const everything = [...ALL, ...VARIANTS];
    expect(new Set(everything.map((one) => keyOf(one, 1))).size).toBe(everything.length);
    expect(new Set(everything.map((one) => obligationKey(one))).size).toBe(everything.length);
  });

  it('changes with nothing but the named parts', () => {
    const withPlace = { row: 17, importedAt: 1_772_000_000_000, ...ENTITY, dueDate: '2026-03-01' };
    expect(keyOf(withPlace, 1)).toBe(keyOf(ENTITY, 1));
    expect(obligationKey(withPlace)).toBe(obligationKey(ENTITY));
  });

  it('does not depend on the order in which the parts are written down', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL), fc.infiniteStream(fc.nat()), (one, dice) => {
        const shuffled = Object.entries(one)
          .map((entry) => [Number(dice.next().value), entry] as const)
          .sort((a, b) => a[0] - b[0])
          .map(([, entry]) => entry);
        // The same entries in another order: the same type.
        const again = Object.fromEntries(shuffled) as unknown as Obligation;
        expect(keyOf(again, 1)).toBe(keyOf(one, 1));
      }),
    );
  });

  it('keeps neighbouring parts apart: "ab" and "c" is not "a" and "bc"', () => {
    const a = { ...ENTITY, registryNumber: 'ab', filingKind: 'c' };
    const b = { ...ENTITY, registryNumber: 'a', filingKind: 'bc' };
    expect(keyOf(a, 1)).not.toBe(keyOf(b, 1));
    expect(obligationKey(a)).not.toBe(obligationKey(b));
  });

  it('keeps parts apart whatever characters they hold', () => {
    const part = fc.string({ unit: fc.constantFrom('"', ',', '\\', '[', ']', '/', '\u0000', 'a') });
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        fc.pre(a !== c || b !== d);
        expect(keyOf({ ...ENTITY, filingKind: a, period: b }, 1)).not.toBe(
          keyOf({ ...ENTITY, filingKind: c, period: d }, 1),
        );
      }),
    );
  });

  it('gives a new revision a new key and the same obligation', () => {
    const keys = [1, 2, 3, 11].map((revision) => keyOf(ENTITY, revision));
    expect(new Set(keys).size).toBe(4);
  });

  it('does not confuse a revision with the part before it', () => {
    expect(keyOf({ ...ENTITY, period: '20261' }, 1)).not.toBe(
      keyOf({ ...ENTITY, period: '2026' }, 11),
    );
  });

  it('is the same for every attempt of a revision', () => {
    expect(keyOf({ ...ENTITY }, 2)).toBe(keyOf(ENTITY, 2));
  });

  it('fits a header: lower-case letters, digits and a dash', () => {
    expect(keyOf({ ...ENTITY, registryNumber: 'Ä\r\nX: y' }, 1)).toMatch(/^fw1-[0-9a-f]{32}$/);
    expect(obligationKey(PATENT)).toMatch(/^fwo1-[0-9a-f]{32}$/);
  });
});
