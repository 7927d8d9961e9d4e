import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lawIn, readLawFile, shippedLaw } from './law-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'fw-law-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('finds what is shipped, from wherever the program runs', () => {
  expect(JSON.parse(readLawFile('calendars/epo.json'))).toMatchObject({ code: 'epo' });
  expect(shippedLaw().json('calendars/epo.json')).toMatchObject({ kind: 'calendar' });
  expect([...shippedLaw().calendars.keys()].sort()).toEqual([
    'cipo',
    'cnipa',
    'dpma',
    'epo',
    'irs-dc',
    'jpo',
    'kipo',
    'no-list',
    'ukipo',
    'us-ca',
    'us-de',
    'us-federal',
    'us-federal-dc',
    'us-ny',
    'uspto',
    'wipo',
  ]);
});

it('compiles each part once', () => {
  let made = 0;
  const make = (): number => (made += 1);
  expect(shippedLaw().compiled('calendars/jpo.json', make)).toBe(1);
  expect(shippedLaw().compiled('calendars/jpo.json', make)).toBe(1);
  expect(shippedLaw().calendar('epo')).toBe(shippedLaw().calendar('epo'));
});

it('never takes a missing calendar for one that is always open', () => {
  expect(() => shippedLaw().calendar('no-such')).toThrow('No calendar "no-such"');
  expect(() => readLawFile('rules/no-such.json')).toThrow('cannot be read');
});

it('names the file of another folder that holds a fault', () => {
  mkdirSync(join(folder, 'calendars'));
  writeFileSync(join(folder, 'calendars/firm.json'), '{\n "kind": "calendar",\n "cod": "x"\n}');
  expect(() => lawIn(folder).calendars).toThrow(/firm\.json, line 1/);
});
