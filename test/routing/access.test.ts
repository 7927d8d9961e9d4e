import { docketId, partyId, type PartyId } from '../../src/core/index.ts';
import { describe, expect, it } from 'vitest';
import { parseDay } from '../../src/calendar/day.ts';
import { accessOf } from '../../src/dockets/rules/access/rights.ts';
import { carries, inherit } from '../../src/dockets/rules/access/labels.ts';
import { countVisible, noticesFor, seen, visible } from '../../src/dockets/rules/access/visible.ts';
import type { Party, People } from '../../src/dockets/rules/access/people.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { NO_GLIMPSE } from '../../src/dockets/rules/docket/docket.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import { routeOf } from '../../src/dockets/rules/routing/route-of.ts';
import { at, docket, matrix, people } from './firm.ts';

const NOW = at('2026-11-16T15:00:00Z');

function party(id: string): Party {
  const found = people.parties.get(id);
  if (found === undefined) throw new Error(`nobody is called ${id}`);
  return found;
}

function person(allow: readonly string[], deny: readonly string[] = []): Party {
  return { kind: 'person', id: partyId('p'), name: 'P', target: undefined, allow, deny };
}

describe('rights', () => {
  const secret = docket({ classification: ['export-controlled'], privilege: ['attorney-client'] });
  const ALL = ['client:*', 'class:*', 'privilege:*'];

  it.each([
    [ALL, [], true],
    [['client:Northwind', 'class:export-controlled', 'privilege:attorney-client'], [], true],
    [['group:BIO', 'class:*', 'privilege:*'], [], true],
    [['matter:18/300101', 'class:*', 'privilege:*'], [], true],
    [['client:Northwind', 'class:export-controlled'], [], false],
    [['client:Northwind', 'privilege:attorney-client'], [], false],
    [['class:*', 'privilege:*'], [], false],
    [['client:Contoso', 'class:*', 'privilege:*'], [], false],
    [ALL, ['client:Northwind'], false],
    [ALL, ['client:*'], false],
    [ALL, ['group:BIO'], false],
    [ALL, ['matter:18/300101'], false],
    [ALL, ['class:export-controlled'], false],
    [ALL, ['privilege:*'], false],
    [ALL, ['client:Contoso', 'class:other'], true],
    [[], [], false],
  ])('allow %j deny %j: %s', (allow, deny, may) => {
    expect(accessOf(secret, person(allow, deny), people).may).toBe(may);
  });

  it('a team has a right only where each member has it', () => {
    const contoso = docket({ client: 'Contoso', technology_group: 'ELEC' });
    expect(accessOf(contoso, party('lind'), people).may).toBe(true);
    expect(accessOf(contoso, party('elec-team'), people)).toEqual({
      may: false,
      party: 'tanaka',
      why: 'denied by client:Contoso',
    });
  });

  it('labels that could not be read need the right to all of their kind', () => {
    const unread = docket({ privilege: ['unread'] });
    expect(accessOf(unread, person(['client:*', 'privilege:unread']), people).may).toBe(false);
    expect(accessOf(unread, person(['client:*', 'privilege:*']), people).may).toBe(true);
  });
});

describe('what could not be read', () => {
  const ALL = ['client:*', 'group:*', 'matter:*', 'class:*', 'privilege:*'];
  const nothing = { id: 'x', ...NO_GLIMPSE };
  const drifted = (row: Readonly<Record<string, JsonValue>>) => {
    const reading = readDocketRow(row);
    return reading.kind === 'event' ? reading.event : reading.glimpse;
  };
  const REJECTION = {
    application_number: '18/300101',
    filing_date: '2024-03-11',
    event_code: 'CTNF',
    technology_group: 'BIO',
  };

  it.each(['client:Contoso', 'group:ELEC', 'matter:18/1', 'class:secret', 'privilege:joint'])(
    'may be what %s is about: deny beats allow',
    (deny) => {
      expect(accessOf(nothing, person(ALL), people).may).toBe(true);
      expect(accessOf(nothing, person(ALL, [deny]), people)).toMatchObject({
        may: false,
        why: `denied by ${deny}`,
      });
    },
  );

  it.each([
    ['a label of another type', { client: 'Northwind', privilege: { a: 1 } }, 'privilege:joint'],
    ['a client of another type', { client: 4711 }, 'client:Contoso'],
    ['a client with control characters', { client: 'Con\u0007toso' }, 'client:Contoso'],
    ['a client under another name', { client_name: 'Contoso' }, 'client:Contoso'],
    ['a group under another name', { technologyGroup: 'ELEC', technology_group: '' }, 'group:ELEC'],
  ])('%s counts as denied', (_name, change, deny) => {
    const one = drifted({ ...REJECTION, ...change });
    expect(accessOf(one, person(ALL), people).may).toBe(true);
    expect(accessOf(one, person(ALL, [deny]), people).may).toBe(false);
  });

  it('covers what is missing, too: a record without a client may be the one that is denied', () => {
    const one = drifted(REJECTION);
    expect(accessOf(one, person(ALL), people).may).toBe(true);
    expect(accessOf(one, person(ALL, ['client:Contoso']), people)).toMatchObject({ may: false });
    const { technology_group: _group, ...groupless } = REJECTION;
    const other = drifted({ ...groupless, client: 'Northwind' });
    expect(accessOf(other, person(ALL, ['client:Contoso']), people).may).toBe(true);
    expect(accessOf(other, person(ALL, ['group:ELEC']), people)).toMatchObject({ may: false });
  });
});

describe('labels', () => {
  it('are inherited by whatever is made from a docket, and never lost', () => {
    const [a, b] = [docket({ classification: ['x'] }).labels, docket({ privilege: ['y'] }).labels];
    const both = inherit(a, b);
    expect(carries(both, a) && carries(both, b)).toBe(true);
    expect(carries(a, both)).toBe(false);
  });
});

describe('a tier without the right', () => {
  it('is skipped with an entry that says whose right is missing', () => {
    const route = routeOf(
      docket({ client: 'Contoso', technology_group: 'ELEC' }),
      matrix,
      people,
      NOW,
    );
    expect(
      route.tiers.map(({ tier, candidates }) => [tier, candidates.map(({ hop }) => hop.party)]),
    ).toEqual([
      ['PRIMARY', []],
      ['SECONDARY', ['lind']],
      ['TERTIARY', ['moreau']],
      ['MANUAL', ['docketing', 'hart']],
    ]);
    expect(route.skips).toEqual([
      {
        tier: 'PRIMARY',
        node: 'elec',
        target: 'elec-queue',
        reason: 'no_right',
        why: 'tanaka: denied by client:Contoso',
      },
    ]);
  });

  it('gives way to the named privileged person where no one else has it', () => {
    const one = docket({ classification: ['export-controlled'] });
    const route = routeOf(one, matrix, people, NOW);
    expect(route.tiers.map(({ candidates }) => candidates.map(({ hop }) => hop.party))).toEqual([
      [],
      [],
      [],
      ['hart'],
    ]);
    expect(route.skips.map(({ node }) => node)).toEqual([
      'bio',
      'bio-lead',
      'bio-second',
      'supervisor',
      'desk',
    ]);
    expect(route.labels).toEqual(one.labels);
  });

  it('has no one at all where even the privileged person is denied', () => {
    const walled: People = {
      ...people,
      parties: new Map(people.parties).set('hart', {
        ...party('hart'),
        deny: ['client:Northwind'],
      }),
    };
    const one = docket({ classification: ['export-controlled'] });
    expect(routeOf(one, matrix, walled, NOW).tiers.at(-1)?.candidates).toEqual([]);
  });
});

describe('absent people', () => {
  const electronics = docket({ technology_group: 'ELEC' });

  it('are replaced by their delegates, by days of the firm', () => {
    const who = (when: string) =>
      routeOf(electronics, matrix, people, at(when)).tiers[1]?.candidates.map(({ hop }) => hop);
    // Still the 20th in New York.
    expect(who('2026-12-21T04:59:59Z')).toMatchObject([{ party: 'lind', standsInFor: [] }]);
    expect(who('2026-12-21T05:00:00Z')).toMatchObject([
      { party: 'moreau', target: 'moreau-mail', standsInFor: ['lind'] },
    ]);
    expect(who('2027-01-05T05:00:00Z')).toMatchObject([{ party: 'lind' }]);
  });

  it('whose delegates are absent too are replaced by theirs, and are skipped where no one is left', () => {
    const [from, to] = [parseDay('2026-12-21'), parseDay('2027-01-04')];
    if (from === undefined || to === undefined) throw new Error('the days exist');
    const tierOf = (delegate: PartyId | undefined) => {
      const away = { person: partyId('moreau'), from, to, delegate };
      const both = { ...people, absences: [...people.absences, away] };
      return routeOf(electronics, matrix, both, at('2026-12-22T15:00:00Z'));
    };
    expect(tierOf(partyId('hart')).tiers[1]?.candidates.map(({ hop }) => hop)).toMatchObject([
      { party: 'hart', standsInFor: ['lind', 'moreau'] },
    ]);
    const nobody = tierOf(undefined);
    expect(nobody.tiers[1]?.candidates).toEqual([]);
    expect(nobody.skips.map(({ why }) => why)).toContain('absent: lind, moreau');
  });

  it('are a whole team at times: then its queue is not asked', () => {
    const [from, to] = [parseDay('2026-11-16'), parseDay('2026-11-16')];
    if (from === undefined || to === undefined) throw new Error('the day exists');
    const away = (...ids: string[]): People => ({
      ...people,
      absences: ids.map((id) => ({ person: partyId(id), from, to, delegate: undefined })),
    });
    expect(routeOf(docket(), matrix, away('ruiz'), NOW).tiers[0]?.candidates).toHaveLength(1);
    const route = routeOf(docket(), matrix, away('ruiz', 'okafor'), NOW);
    expect(route.tiers[0]?.candidates).toEqual([]);
    expect(route.skips[0]).toMatchObject({
      node: 'bio',
      reason: 'absent',
      why: 'absent: ruiz, okafor',
    });
  });

  it('lend their delegates no rights', () => {
    const only = new Map(people.parties).set('moreau', {
      ...party('moreau'),
      deny: ['group:ELEC'],
    });
    const route = routeOf(
      electronics,
      matrix,
      { ...people, parties: only },
      at('2026-12-22T15:00:00Z'),
    );
    expect(route.tiers[1]?.candidates).toEqual([]);
    expect(route.skips.map(({ why }) => why)).toContain('moreau: denied by group:ELEC');
  });
});

describe('hidden matters', () => {
  const open = docket({ application_number: '1' });
  const hidden = docket({ application_number: '2', client: 'Contoso', technology_group: 'ELEC' });
  const viewer = { party: party('ruiz'), people };

  it('are in no list and in no count', () => {
    expect(visible([open, hidden], viewer)).toEqual([open]);
    expect(countVisible([open, hidden], viewer)).toBe(1);
  });

  it('answer exactly like unknown ones', () => {
    const fault = (id: string, matter: typeof open | undefined): unknown => {
      try {
        return seen(docketId(id), matter, viewer);
      } catch (error) {
        return error;
      }
    };
    const [secret, unknown] = [fault('d-9', hidden), fault('d-9', undefined)];
    expect(secret).toEqual(unknown);
    expect(secret).toMatchObject({ code: 'NOT_FOUND', message: 'No docket "d-9"', details: {} });
    expect(seen(docketId('d-1'), open, viewer)).toBe(open);
  });

  it('are in no notice', () => {
    const notices = [
      { matter: hidden, text: 'due' },
      { matter: open, text: 'due' },
    ];
    expect(noticesFor(notices, viewer)).toEqual([notices[1]]);
  });
});
