import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import { readPeople } from '../../src/dockets/rules/access/read-people.ts';
import { checkMatrix, requireSoundMatrix } from '../../src/dockets/rules/routing/check-matrix.ts';
import { readMatrix } from '../../src/dockets/rules/routing/read-matrix.ts';
import { routeOf } from '../../src/dockets/rules/routing/route-of.ts';
import { rowFor } from '../../src/dockets/rules/routing/matrix.ts';
import { at, docket, matrix, people, readSample } from './firm.ts';

type Json = { [key: string]: Json } & Json[] & string;
type Change = (document: Json) => void;

/** The sample, changed in place. The cast is the test's own: it knows the sample. */
function changed(sample: string, change: Change): string {
  const document = JSON.parse(readSample(sample)) as Json;
  change(document);
  return JSON.stringify(document);
}

const matrixWith = (change: Change) =>
  readMatrix({ file: 'm', text: changed('patent-matrix.json', change) });
const peopleWith = (change: Change) =>
  readPeople({ file: 'p', text: changed('patent-people.json', change) });
const json = (value: JsonValue): Json => value as unknown as Json;

function faults(change: Change): string[] {
  return checkMatrix(matrixWith(change), people).map(({ where, why }) => `${where}: ${why}`);
}

function peopleFaults(change: Change): string[] {
  return checkMatrix(matrix, peopleWith(change)).map(({ where, why }) => `${where}: ${why}`);
}

describe('a sound matrix', () => {
  it('is the sample', () => {
    expect(checkMatrix(matrix, people)).toEqual([]);
  });

  it('has no circle', () => {
    const found = faults((m) => {
      (m['nodes'] as Json)['bio-second'] = json({
        tier: 'SECONDARY',
        target: 'okafor-mail',
        next: ['bio-lead', 'supervisor'],
      });
    });
    expect(found).toEqual([
      'nodes/bio-lead: the nodes form a loop: bio-lead → bio-second → bio-lead',
    ]);
  });

  it('never goes back to an earlier tier', () => {
    const found = faults((m) => {
      (m['nodes'] as Json)['other'] = json({
        tier: 'PRIMARY',
        target: 'ruiz-mail',
        next: ['desk'],
      });
      (m['nodes'] as Json)['supervisor'] = json({
        tier: 'TERTIARY',
        target: 'moreau-mail',
        next: ['desk', 'other'],
      });
    });
    expect(found).toEqual(['nodes/supervisor: TERTIARY leads back to "other" of PRIMARY']);
  });

  it('ends at MANUAL from everywhere', () => {
    const found = faults((m) => {
      (m['nodes'] as Json)['supervisor'] = json({ tier: 'TERTIARY', target: 'moreau-mail' });
    });
    expect(found).toContain('nodes/supervisor: no path leads from here to MANUAL');
    expect(found).toContain('nodes/bio: no path leads from here to MANUAL');
  });

  it('has a row for everyone who is not named', () => {
    const found = faults((m) => void (m['routes'] as Json).pop());
    expect(found).toEqual([expect.stringContaining('a new client would have no route')]);
  });

  it('says each combination once', () => {
    const found = faults((m) => {
      (m['routes'] as Json).push(
        json({ client: '*', technology_group: 'BIO', event: '*', start: 'elec' }),
      );
    });
    expect(found).toEqual(['routes/4: repeats the combination of routes/0']);
  });

  it('has only names that lead somewhere, and tells all that do not', () => {
    const found = faults((m) => {
      (m['nodes'] as Json)['bio'] = json({
        tier: 'PRIMARY',
        target: 'nowhere',
        next: ['no-node', 'bio-lead'],
      });
      (m['targets'] as Json)['desk-mail'] = json({ kind: 'mail', address: 'x@y', party: 'nobody' });
      (m['routes'] as Json).push(
        json({ client: 'A', technology_group: '*', event: '*', start: 'gone' }),
      );
      m['privileged'] = json(['stranger']);
    });
    expect(found).toEqual([
      'targets/desk-mail: the party "nobody" is not known',
      'nodes/bio: the target "nowhere" does not exist',
      'nodes/bio: the next node "no-node" does not exist',
      'routes/4: the start "gone" does not exist',
      'privileged: "stranger" is not a person in the people file',
    ]);
  });

  it('names a privileged person', () => {
    expect(faults((m) => void (m['privileged'] = json([])))).toEqual([
      'privileged: no one is named',
    ]);
  });

  it('is refused as a whole, with every fault and its remedy', () => {
    const broken = matrixWith((m) => void (m['privileged'] = json([])));
    const check = (): void => requireSoundMatrix(broken, people);
    expect(check).toThrow(FilewrightError);
    expect(check).toThrow(
      'privileged: no one is named. Name the person who gets dockets that no one else may see.',
    );
  });
});

describe('absences', () => {
  const away = (person: string, delegate: string | null, from = '2026-12-01', to = '2026-12-10') =>
    json({ person, from, to, ...(delegate === null ? {} : { delegate }) });

  it('with delegates in a circle are refused', () => {
    const found = peopleFaults((p) => {
      p['absences'] = json([away('ruiz', 'okafor'), away('okafor', 'lind'), away('lind', 'ruiz')]);
    });
    expect(found).toEqual(['absences: the delegates form a loop: ruiz → okafor → lind → ruiz']);
  });

  it('that follow each other make no circle', () => {
    const found = peopleFaults((p) => {
      p['absences'] = json([
        away('ruiz', 'okafor', '2026-12-01', '2026-12-10'),
        away('okafor', 'ruiz', '2026-12-11', '2026-12-20'),
      ]);
    });
    expect(found).toEqual([]);
  });

  it('that meet on a single day make one', () => {
    const found = peopleFaults((p) => {
      p['absences'] = json([
        away('ruiz', 'okafor', '2026-12-01', '2026-12-10'),
        away('okafor', 'ruiz', '2026-12-10', '2026-12-20'),
      ]);
    });
    expect(found).toEqual(['absences: the delegates form a loop: ruiz → okafor → ruiz']);
  });

  it('need delegates that exist and can be reached, and do not overlap', () => {
    const found = peopleFaults((p) => {
      (p['persons'] as Json)['temp'] = json({ name: 'Temp' });
      p['absences'] = json([
        away('ruiz', 'nobody'),
        away('okafor', 'temp'),
        away('lind', null),
        away('lind', 'ruiz', '2026-12-10', '2026-12-12'),
      ]);
    });
    expect(found).toEqual([
      'absences/0: the delegate "nobody" is not a person',
      'absences/1: the delegate "temp" has no target',
      'absences/2: "lind" is absent twice: 2026-12-01 to 2026-12-10 and 2026-12-10 to 2026-12-12 (absences/3)',
    ]);
  });
});

describe('the version', () => {
  it('is that of the content: order of keys and spaces do not count', () => {
    const shuffled = JSON.stringify(
      Object.fromEntries(
        Object.entries(parseStrictJson(readSample('patent-matrix.json')) as object).reverse(),
      ),
      undefined,
      7,
    );
    expect(readMatrix({ file: 'm', text: shuffled }).version).toBe(matrix.version);
  });

  it('changes with every rule', () => {
    const changedEvent = matrixWith((m) => {
      const [row] = m['routes'] as Json[];
      if (row !== undefined) row['event'] = json('CTNF');
    });
    expect(changedEvent.version).not.toBe(matrix.version);
  });
});

describe('a row', () => {
  const rows = matrixWith((m) => {
    m['routes'] = json([
      { client: '*', technology_group: '*', event: '*', start: 'supervisor' },
      { client: '*', technology_group: '*', event: 'CTNF', start: 'elec-lead' },
      { client: '*', technology_group: 'BIO', event: '*', start: 'bio' },
      { client: '*', technology_group: 'BIO', event: 'CTNF', start: 'bio-second' },
      { client: 'Northwind', technology_group: '*', event: '*', start: 'bio-lead' },
    ]);
  });

  it.each([
    ['Northwind', 'BIO', 'CTNF', 'bio-lead'],
    ['Contoso', 'BIO', 'CTNF', 'bio-second'],
    ['Contoso', 'BIO', 'CTFR', 'bio'],
    ['Contoso', undefined, 'CTNF', 'elec-lead'],
    [undefined, undefined, 'X', 'supervisor'],
  ])('for %s, %s, %s starts at %s', (client, technologyGroup, eventCode, start) => {
    expect(rowFor(rows, { client, technologyGroup, eventCode })?.start).toBe(start);
  });
});

it('every combination of a sound matrix ends at MANUAL', () => {
  const name = (...known: string[]) =>
    fc.option(fc.oneof(fc.constantFrom(...known), fc.string()), { nil: undefined });
  fc.assert(
    fc.property(
      name('Northwind', 'Contoso'),
      name('BIO', 'ELEC'),
      fc.string(),
      (client, group, code) => {
        const one = { ...docket(), client, technologyGroup: group, eventCode: code };
        const { tiers } = routeOf(one, matrix, people, at('2026-11-16T15:00:00Z'));
        expect(tiers.at(-1)?.tier).toBe('MANUAL');
        expect(tiers.at(-1)?.candidates.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 200 },
  );
});

describe('what is no matrix', () => {
  it.each([
    ['"tier": "SECONDARY"', '"tier": "SECOND"', /nodes\/bio-lead\/tier: expected one of PRIMARY/],
    ['"kind": "http"', '"kind": "fax"', /targets\/bio-endpoint\/kind/],
    ['"privileged"', '"privilleged"', /"privileged" is missing/],
  ])('%s as %s is refused by its line', (from, to, message) => {
    const text = readSample('patent-matrix.json').replace(from, to);
    expect(() => readMatrix({ file: 'matrix.json', text })).toThrow(message);
  });

  it('an email that counts as confirmed when sent is refused', () => {
    const broken = () =>
      matrixWith((m) => {
        ((m['targets'] as Json)['ruiz-mail'] as Json)['confirmed_by'] = json('delivery');
      });
    expect(broken).toThrow('an accepted email shows only that it was sent');
  });

  it('a manual clock of more than two hours is refused', () => {
    expect(() =>
      matrixWith((m) => void (m['policy'] = json({ manual_clock_ms: 7_200_001 }))),
    ).toThrow('7200000');
  });
});

describe('the thresholds of triggers', () => {
  const policyOf = (policy: JsonValue) =>
    matrixWith((m) => void (m['policy'] = json(policy))).policy;

  it('are those of the matrix, each on its own', () => {
    expect(policyOf({}).thresholds).toEqual({
      tlsHandshakeMsMax: 3_000,
      backlogMax: 1_000,
      lagMsMax: 60_000,
    });
    expect(policyOf({ backlog_max: 250 }).thresholds.backlogMax).toBe(250);
    expect(policyOf({ lag_ms_max: 10_000 }).thresholds.lagMsMax).toBe(10_000);
    expect(policyOf({ tls_handshake_ms_max: 1_500 }).thresholds.tlsHandshakeMsMax).toBe(1_500);
  });

  it('leave a handshake time up to its own limit, and a shorter time-out is that limit where none is stated', () => {
    expect(policyOf({}).outcomeMsMax).toBe(7_000);
    expect(policyOf({ tls_handshake_ms_max: 5_000 }).outcomeMsMax).toBe(9_000);
    expect(policyOf({ timeout_ms: 800 })).toMatchObject({
      outcomeMsMax: 2_600,
      thresholds: { tlsHandshakeMsMax: 800 },
    });
  });

  it.each([{ backlog_max: 0 }, { lag_ms_max: 60 }, { tls_handshake_ms_max: 3 }])(
    '%j is a typing mistake',
    (policy) => {
      expect(() => policyOf(policy)).toThrow(/policy/);
    },
  );
});

describe('an assignment table', () => {
  const TABLE = { client: '*', technology_group: '*', url: 'https://assignments.example/table' };
  const withTables = (...tables: object[]) =>
    matrixWith((m) => void (m['assignment'] = json(tables as unknown as JsonValue)));

  it.each([
    [
      { ...TABLE, url: 'assignments.example' },
      /assignment\/0\/url: expected an address such as https:/,
    ],
    [{ ...TABLE, url: 'ftp://assignments.example' }, /assignment\/0\/url/],
    [{ ...TABLE, url: 'https://me:secret@assignments.example' }, /assignment\/0\/url/],
    [{ ...TABLE, credential: 'tok-123' }, /assignment\/0\/credential: expected a reference/],
    [{ client: '*', url: TABLE.url }, /assignment\/0.*"technology_group" is missing/],
    [{ ...TABLE, password: 'x' }, /assignment\/0\/password: unknown key/],
  ])('%j is refused by its field', (table, message) => {
    expect(() => withTables(table)).toThrow(message);
  });

  it('is never quoted where it may be the secret itself', () => {
    expect(() => withTables({ ...TABLE, credential: 'tok-123' })).not.toThrow('tok-123');
    expect(() => withTables({ ...TABLE, url: 'https://me:secret@x.example' })).not.toThrow(
      'me:secret',
    );
  });

  it('stands once for a client and a group', () => {
    const two = withTables(TABLE, { ...TABLE, url: 'https://other.example/' });
    expect(checkMatrix(two, people)).toMatchObject([
      { where: 'assignment/1', why: 'is for the same client and group as assignment/0' },
    ]);
    const sound = withTables(TABLE, { ...TABLE, client: 'Contoso', credential: 'env:TOKEN' });
    expect(checkMatrix(sound, people)).toEqual([]);
  });
});
