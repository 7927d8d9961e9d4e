/** Walls, rights and dockets go by who is meant, and never by how it is written. */
import { partyId } from '../../src/core/index.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accessOf, isConfidential } from '../../src/dockets/rules/access/rights.ts';
import type { Party, People } from '../../src/dockets/rules/access/people.ts';
import { finder } from '../../src/dockets/rules/docket/search.ts';
import { isRespelled, meaningOf } from '../../src/dockets/rules/docket/meaning.ts';
import { checkMatrix } from '../../src/dockets/rules/routing/check-matrix.ts';
import { rowFor } from '../../src/dockets/rules/routing/matrix.ts';
import { tableFor } from '../../src/dockets/rules/routing/assignment.ts';
import { docket, matrix, people } from './firm.ts';
import { disguised, respelledClient, respelledNumber } from './spellings.ts';

const ALL = ['client:*', 'group:*', 'matter:*', 'class:*', 'privilege:*'];

function person(allow: readonly string[], deny: readonly string[] = []): Party {
  return { kind: 'person', id: partyId('p'), name: 'P', target: undefined, allow, deny };
}

const isWalled = (one: ReturnType<typeof docket>, deny: string): boolean =>
  !accessOf(one, person(ALL, [deny]), people).may;
const isOpen = (one: ReturnType<typeof docket>, allow: string): boolean =>
  accessOf(one, person([allow, 'class:*', 'privilege:*']), people).may;

describe('an ethical wall around a client', () => {
  it.each([
    'CONTOSO',
    'contoso',
    'Ｃｏｎｔｏｓｏ',
    'Con\u200btoso',
    'Con\u00adtoso',
    'Contoso, Inc.',
    'CONTOSO INCORPORATED',
    'Contoso L.L.C.',
    'The Contoso Company',
    'Contoso GmbH & Co. KG',
    'ContosoInc',
    'Con-toso',
    'C o n t o s o',
    'Çontoso',
    'C0ntoso',
    'Conto$o',
    'Contoso®',
    'Ⓒⓞⓝⓣⓞⓢⓞ',
    'Cоntoso',
    'ᴄontoso',
    'Cont○so',
    '\u202eosotnoC',
    'СОΝТОЅО',
    '\u2800Contoso\u3164',
  ])('is not passed by %s', (client) => {
    expect(isWalled(docket({ client }), 'client:Contoso')).toBe(true);
    expect(isWalled(docket({ client: 'Contoso' }), `client:${client}`)).toBe(true);
  });

  it.each([
    'Northwind',
    'Contosa',
    'Contoso Energy',
    'Газпром',
    '日本電気株式会社',
    'Müller GmbH',
    'ソニー株式会社',
    'NTTデータ',
    'ООО Ромашка',
    'Hawaiʻi Gas',
    'Łódź Sp. z o.o.',
  ])('is not around %s', (client) => {
    expect(isWalled(docket({ client }), 'client:Contoso')).toBe(false);
  });

  it.each([
    'Fabrikam Inc. (formerly Contoso Corp.)',
    'Contoso; Fabrikam',
    'Northwind and Contoso',
    'Fabrikam, Inc., d/b/a CONTOSO',
    'Northwind/Contoso, Ltd.',
  ])('is not passed among others: %s', (client) => {
    expect(isWalled(docket({ client }), 'client:Contoso')).toBe(true);
    expect(isWalled(docket({ client }), 'client:Tailspin, Inc.')).toBe(false);
  });

  it('does not ask for the legal form, with which records are careless', () => {
    expect(isWalled(docket({ client: 'Contoso Ltd' }), 'client:Contoso Inc')).toBe(true);
    expect(isWalled(docket({ client: 'Mueller' }), 'client:Müller AG')).toBe(true);
    expect(isWalled(docket({ client: 'MULLER' }), 'client:Müller')).toBe(true);
    expect(isWalled(docket({ client: 'ATT, Inc.' }), 'client:AT&T')).toBe(true);
    expect(isWalled(docket({ client: 'A. T. and T. Corp' }), 'client:AT&T')).toBe(true);
  });

  it('holds for any spelling whatever', () => {
    const names = fc.constantFrom(
      'Contoso Inc.',
      'Acme Widgets',
      'Tailspin Toys Ltd.',
      'Müller AG',
    );
    fc.assert(
      fc.property(
        names.chain((name) => fc.tuple(fc.constant(name), respelledClient(name))),
        ([name, client]) => {
          expect(isWalled(docket({ client }), `client:${name}`)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a wall around a matter', () => {
  it.each([
    '18/300101',
    '18/300,101',
    '18300101',
    'US 18/300,101',
    'US18300101',
    'U.S. Patent Application Serial No. 18/300,101',
    'USSN 18/300,101',
    '１８／３００，１０１',
    '18/3OO,101',
    '18/300‚101',
    '18⁄300101',
    '18/300\u200b101',
  ])('is not passed by %s', (number) => {
    const one = docket({ application_number: number });
    expect(isWalled(one, 'matter:18/300101')).toBe(true);
    expect(isWalled(docket(), `matter:${number}`)).toBe(true);
  });

  it.each(['18/300110', '18/300,102', '81/300101', '18/300101 CON'])(
    'is not around %s',
    (number) => {
      expect(isWalled(docket({ application_number: number }), 'matter:18/300101')).toBe(false);
    },
  );

  it('names the firm’s own reference just as well', () => {
    for (const matter of ['NW-0101', 'nw 0101', 'NW0101', 'NW/0101', 'NW\u00ad-0101']) {
      expect(isWalled(docket({ matter }), 'matter:NW-0101')).toBe(true);
    }
    expect(isWalled(docket({ matter: 'NW-0110' }), 'matter:NW-0101')).toBe(false);
    expect(isWalled(docket({ matter: 'US 18/300,777' }), 'matter:18300777')).toBe(true);
  });

  it('holds for any spelling whatever, and for no other number', () => {
    const serial = fc.integer({ min: 100_000, max: 999_999 });
    const number = fc
      .tuple(fc.integer({ min: 10, max: 63 }), serial)
      .map(([series, rest]) => `${series}/${String(rest).replace(/(\d{3})$/, ',$1')}`);
    fc.assert(
      fc.property(
        number.chain((one) => fc.tuple(fc.constant(one), respelledNumber(one), number)),
        ([one, spelled, other]) => {
          expect(isWalled(docket({ application_number: spelled }), `matter:${one}`)).toBe(true);
          const isSame = other === one;
          expect(isWalled(docket({ application_number: other }), `matter:${one}`)).toBe(isSame);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('what cannot be identified for certain', () => {
  it('is for people who see everything alone, whatever else others may see', () => {
    fc.assert(
      fc.property(disguised('Contoso Pharma'), (client) => {
        const one = docket({ client });
        expect(accessOf(one, person(ALL), people).may).toBe(true);
        for (const party of people.parties.values()) {
          expect(accessOf(one, party, people).may, party.id).toBe(party.id === 'hart');
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['client', '***'],
    ['client', 'Con\ue000toso'],
    ['technology_group', 'ВІО'],
    ['matter', 'NW-о1о1'],
    ['application_number', '18/3O0101'],
    ['application_number', '1８/30З101'],
    ['application_number', '///'],
  ])('%s %j', (field, value) => {
    const one = docket({ [field]: value });
    expect(
      accessOf(one, person(['group:BIO', 'client:Northwind', 'privilege:*']), people).may,
    ).toBe(false);
    expect(accessOf(one, person(ALL, ['class:never']), people).may).toBe(false);
    expect(accessOf(one, person(ALL), people).may).toBe(true);
    expect(isConfidential(one, people)).toBe(true);
  });

  it('a number whose check digit is wrong may be any that a wall is about', () => {
    const ep = { office: 'EP', event_code: 'EPO-FORM-2001', rule: 'EP-NOTIFICATION' };
    const [good, bad] = ['21123456.2', '21123456.3'].map((application_number) =>
      docket({ ...ep, application_number }),
    );
    if (good === undefined || bad === undefined) throw new Error('there are two');
    expect(isWalled(good, 'matter:EP24100104')).toBe(false);
    expect(isWalled(bad, 'matter:EP24100104')).toBe(true);
    expect(isOpen(good, 'matter:EP 21 123 456')).toBe(true);
    expect(isOpen(bad, 'matter:EP 21 123 456')).toBe(false);
  });

  it('is refused in a matrix and in a people file', () => {
    const doubtful: People = {
      ...people,
      parties: new Map(people.parties).set('x', {
        ...person([], ['client:Cоntoso']),
        id: partyId('x'),
      }),
    };
    const rows = [...matrix.rows, { ...matrix.rows[0], client: 'Cоntoso', start: 'bio' }];
    const faults = checkMatrix({ ...matrix, rows: rows as typeof matrix.rows }, doubtful);
    expect(faults.map(({ where }) => where)).toEqual(['routes/4', 'persons/x']);
    expect(checkMatrix(matrix, people)).toEqual([]);
  });
});

describe('a right', () => {
  it('is for its client, however spelled, and for no other legal form than the one it names', () => {
    expect(isOpen(docket({ client: 'NORTHWIND, INC.' }), 'client:Northwind')).toBe(true);
    expect(isOpen(docket({ client: 'northwind inc' }), 'client:Northwind Inc.')).toBe(true);
    expect(isOpen(docket({ client: 'Northwind Ltd' }), 'client:Northwind Inc.')).toBe(false);
    expect(isOpen(docket({ client: 'Northwind' }), 'client:Northwind Inc.')).toBe(false);
    // Looks are enough for a wall, and never for a right.
    for (const client of ['Northw1nd', 'Northwind and Contoso', 'Nörthwind', 'Nоrthwind']) {
      expect(isOpen(docket({ client }), 'client:Northwind')).toBe(false);
    }
  });

  it('is for its matter and for no other of the same digits', () => {
    const us = docket({ application_number: '17/123,456' });
    expect(isOpen(us, 'matter:US17123456')).toBe(true);
    expect(isOpen(us, 'matter:17123456')).toBe(true);
    expect(isOpen(us, 'matter:EP17123456')).toBe(false);
    expect(isOpen(docket({ matter: 'AB-1-23' }), 'matter:AB-12-3')).toBe(false);
    expect(isOpen(docket({ matter: 'AB-1-23' }), 'matter:ab1/23')).toBe(true);
  });

  it('to a label is for every spelling of it, and a deny as well', () => {
    for (const label of ['Attorney-Client', 'attorney client', 'ATTORNEY_CLIENT PRIVILEGED']) {
      const one = docket({ privilege: [label] });
      expect(accessOf(one, person(['client:*', 'privilege:attorney-client']), people).may).toBe(
        true,
      );
      expect(isWalled(one, 'privilege:attorney-client')).toBe(true);
    }
    const other = docket({ privilege: ['attorney-client and work product'] });
    expect(isWalled(other, 'privilege:work-product')).toBe(true);
    expect(isWalled(docket({ privilege: ['аttorney-client'] }), 'privilege:joint')).toBe(true);
  });
});

describe('a row of the matrix and a table', () => {
  it('are found by who is meant', () => {
    const any = { client: undefined, technologyGroup: undefined, event: undefined, start: 'bio' };
    const rows = [
      any,
      { ...any, client: 'Contoso, Inc.', start: 'elec' },
      { ...any, client: 'CONTOSO', start: 'desk' },
    ];
    const one = { ...matrix, rows };
    const start = (client: string) => rowFor(one, docket({ client }))?.start;
    expect(['contoso inc', 'Contoso Ltd', 'Contoso', 'Other'].map(start)).toEqual([
      'elec',
      'desk',
      'desk',
      'bio',
    ]);
    const table = { client: 'Contoso', technologyGroup: 'bio', url: 'x', credential: undefined };
    expect(tableFor({ assignment: [table] }, docket({ client: 'CONTOSO S.A.' }))).toBe(table);
    expect(tableFor({ assignment: [table] }, docket({ client: 'Northwind' }))).toBeUndefined();
  });

  it('that say the same client twice are a fault', () => {
    const any = { client: undefined, technologyGroup: undefined, event: undefined, start: 'bio' };
    const rows = [any, { ...any, client: 'Contoso, Inc.' }, { ...any, client: 'CONTOSO INC' }];
    expect(checkMatrix({ ...matrix, rows }, people)).toMatchObject([{ where: 'routes/2' }]);
  });
});

describe('a search', () => {
  it('finds by who is meant, in the number of the office or in the own reference', () => {
    const one = docket({
      application_number: '18/300,101',
      client: 'Northwind, Inc.',
      matter: 'NW-0101',
    });
    const finds = (wanted: Parameters<typeof finder>[0]) => finder(wanted)(one);
    for (const wanted of [
      {},
      { client: 'NORTHWIND' },
      { matter: 'US18300101' },
      { matter: 'nw 0101' },
      { client: 'northwind inc', matter: '18300101' },
    ]) {
      expect(finds(wanted), JSON.stringify(wanted)).toBe(true);
    }
    for (const wanted of [
      { client: 'Northwind Ltd' },
      { matter: '18/300,110' },
      { matter: 'EP18300101' },
      { client: 'Contoso', matter: '18300101' },
    ]) {
      expect(finds(wanted), JSON.stringify(wanted)).toBe(false);
    }
  });
});

describe('one event', () => {
  const idOf = (changes: Parameters<typeof docket>[0]) => docket(changes).messageId;
  const EP = { office: 'EP', event_code: 'EPO-FORM-2001', rule: 'EP-NOTIFICATION' };
  const JP = { filing_country: 'JP', event_code: 'A131', rule: 'JP-OA-OVERSEAS' };
  const WO = { office: 'WO', event_code: 'ISR' };

  it.each([
    ['US', {}, ['17/123,456', '17123456', 'US 17/123,456', 'US17/123456', '１７/123，456']],
    ['EP', EP, ['EP 21 123 456.2', '21123456.2', '21123456', 'EP21123456', 'EP211234562']],
    ['JP', JP, ['2025-500105', 'JP2025-500105', '特願2025-500105', '2025500105']],
    ['WO', WO, ['PCT/US2023/012345', 'PCT/US2023/12345', 'PCTUS2023012345', 'WO PCT/US23/12345']],
    ['none', { event_code: 'X' }, ['US 17/123,456', '17/123456', 'USSN 17/123,456']],
  ])('of %s is one docket under all spellings of its number', (_office, changes, numbers) => {
    const ids = numbers.map((application_number) => idOf({ ...changes, application_number }));
    expect(new Set(ids).size).toBe(1);
  });

  it('is the same however its office is named', () => {
    const ids = [
      { office: 'US' },
      { office: 'us' },
      { office: 'USPTO' },
      { filing_country: 'US' },
      {},
    ];
    expect(new Set(ids.map((one) => idOf({ ...one, application_number: '17123456' }))).size).toBe(
      1,
    );
    const treaty = { event_code: 'X', application_number: 'PCT/US2023/012345' };
    expect(idOf(treaty)).toBe(idOf({ ...treaty, office: 'WO' }));
  });

  it('is never another one', () => {
    const numbers = [
      '17/123,456',
      '17/123,465',
      '71/123,456',
      '17/123,4567',
      '1/23',
      '12/3',
      '123',
    ];
    const ids = [
      ...numbers.map((application_number) => idOf({ application_number })),
      idOf({ ...EP, application_number: '17123456' }),
      idOf({ ...JP, application_number: '17123456' }),
      idOf({ application_number: '---' }),
      idOf({ application_number: '///' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    fc.assert(
      fc.property(fc.nat(99_999_999), fc.nat(99_999_999), (a, b) => {
        fc.pre(a !== b);
        const [one, other] = [a, b].map((n) => String(n).padStart(8, '0'));
        expect(idOf({ application_number: `${one?.slice(0, 2)}/${one?.slice(2)}` })).not.toBe(
          idOf({ application_number: other ?? '' }),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('that is sent again in another spelling says the same; in other words it does not', () => {
    const first = meaningOf(docket());
    const again = { application_number: 'US 18/300,101', client: 'NORTHWIND' };
    expect(isRespelled(first, meaningOf(docket(again)))).toBe(true);
    expect(isRespelled(first, meaningOf(docket({ ...again, title: 'Other' })))).toBe(false);
    expect(isRespelled(first, meaningOf(docket({ ...again, privilege: [] })))).toBe(false);
    expect(isRespelled(first, first)).toBe(false);
  });
});
