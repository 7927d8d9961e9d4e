/** The lanes of people that are shipped: every jurisdiction, each readable, and nothing assumed that is not marked so. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filingKindOf } from '../../src/entities/rules/register/filing-kinds.ts';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';

const folder = join(import.meta.dirname, '../../profiles/by-hand');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const profiles = files.map((name) => readProfile(readFileSync(join(folder, name)), name));
const { rules } = registerLaw();
const filings = [...rules.byId.values()];

describe('the lanes of people', () => {
  it('are there for every jurisdiction of the law, once', () => {
    const wanted = [...new Set(filings.map(({ jurisdiction }) => jurisdiction))].sort();
    expect(wanted).toHaveLength(51);
    expect(profiles.map(({ jurisdiction }) => jurisdiction).sort()).toEqual(wanted);
  });

  it.each(profiles.map((profile) => [profile.code, profile] as const))(
    '%s names its office, its kinds as the register does, and what is assumed',
    (code, profile) => {
      expect(profile).toMatchObject({
        driver: 'person',
        automation: 'unknown',
        jurisdiction: code,
      });
      expect(new URL(profile.baseUrl).protocol).toBe('https:');
      const kinds = new Set(profile.byHand?.kinds.map(({ kind }) => kind));
      const owed = filings.filter(
        ({ jurisdiction, required }) => jurisdiction === code && required === true,
      );
      for (const rule of owed) expect(kinds).toContain(filingKindOf(rule, 'periodic'));
      const marked = profile.quirks.filter(({ verified }) => !verified).map(({ name }) => name);
      expect(marked).toEqual(
        expect.arrayContaining(['page', 'receipt-pattern', 'form-order', 'search-lag']),
      );
    },
  );
});
