/** The shipped samples go through the law as every import does: a date in them that the law does not give is found here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { RowNote } from '../../src/core/ports.ts';
import { entityRowReader } from '../../src/entities/rules/row-reader.ts';
import { shippedLawGates } from '../../src/filings/acts/reviews-correction.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { ROOT } from '../fixtures/built-tree.ts';

type Row = Record<string, string>;

const rows: Row[] = parse(readFileSync(join(ROOT, 'samples/entities.csv')), { columns: true });
const lanes = new Map(
  ['us-de', 'us-ca', 'us-ny'].map((code) => {
    const path = join(ROOT, `profiles/${code}.json`);
    const profile = readProfile(readFileSync(path), path);
    return [profile.jurisdiction, profile] as const;
  }),
);
const reader = entityRowReader({ tenant: 'sample', lanes, law: await shippedLawGates() });

function said(row: Row): {
  readonly refused: readonly string[];
  readonly notes: readonly string[];
} {
  const result = reader.read(row);
  if (!result.ok) return { refused: result.errors.map(({ why }) => why), notes: [] };
  const notes: readonly RowNote[] = result.notes ?? [];
  return { refused: [], notes: notes.map(({ code }) => code) };
}

function dayAfter(due: string): string {
  const at = new Date(`${due.slice(0, 10)}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + 1);
  return `${at.toISOString().slice(0, 10)}${due.slice(10)}`;
}

describe('samples/entities.csv', () => {
  it('has no row that the law did not check, and none that it refuses', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60);
    const found = rows.map((row) => ({ id: row['registry_number'], ...said(row) }));
    expect(found.filter(({ refused }) => refused.length > 0)).toEqual([]);
    const doubtful = ['OBLIGATION_NOT_CHECKED', 'STATE_RECORD_LATER', 'DUE_UNCERTAIN'];
    expect(found.filter(({ notes }) => notes.some((code) => doubtful.includes(code)))).toEqual([]);
    // Five in New York are due on a weekend and are filed on the Friday before, as the portal's hours want it.
    expect(found.filter(({ notes }) => notes.includes('DUE_BEFORE_RULE'))).toHaveLength(5);
  });

  it('would not pass with a date that is a day too late', () => {
    const late = rows
      .filter((row) => !said(row).notes.includes('DUE_BEFORE_RULE'))
      .map((row) => said({ ...row, due: dayAfter(row['due'] ?? '') }));
    expect(late.filter(({ refused }) => refused.length === 0)).toEqual([]);
  });
});
