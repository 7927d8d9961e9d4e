/** Event codes: which rule follows, from which day, and what is never passed over. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { computeDeadline } from '../../src/dockets/rules/compute.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { readDocketDocument } from '../../src/dockets/rules/docket/map-document.ts';
import { readDocketMapping } from '../../src/dockets/rules/docket/mapping-file.ts';
import { readMapping } from '../routing/firm.ts';
import { shippedPatentLaw } from './patent-law.ts';

const law = shippedPatentLaw();

function answered(event_code: string, rest: object = {}): string {
  const one = { event_code, trigger_date: '2026-03-02', ...rest };
  try {
    const found = computeDeadline(readPatentCase(one), law, { explain: false });
    return `${found.matter.rule.rule} ${formatDay(found.due)}`;
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code} ${error.message}`;
    throw error;
  }
}

describe('an event of the USPTO', () => {
  it.each([
    ['MCTNF', 'P3M', 'US-REPLY-SSP 2026-06-02'],
    ['CTFR', 'P3M', 'US-FINAL-REPLY 2026-06-02'],
    ['MCTFR', 'P3M', 'US-FINAL-REPLY 2026-06-02'],
    ['MCTRS', 'P2M', 'US-RESTRICTION-REPLY 2026-05-04'],
    ['MCTEQ', 'P2M', 'US-QUAYLE-REPLY 2026-05-04'],
    ['INCD', 'P2M', 'US-MISSING-PARTS 2026-05-04'],
    ['MN/=.', undefined, 'US-ISSUE-FEE 2026-06-02'],
    ['N/AP', undefined, 'US-APPEAL-BRIEF 2026-05-04'],
    ['MAPEA', undefined, 'US-REPLY-BRIEF 2026-05-04'],
    ['APDA', undefined, 'US-REHEARING-2M 2026-05-04'],
    ['PGM/', undefined, 'US-PTA-REQUEST 2026-05-04'],
    ['MODPD', undefined, 'US-PETITION-2M 2026-05-04'],
  ])('%s starts its rule', (code, period, expected) => {
    expect(answered(code, { period })).toBe(expected);
  });

  it.each(['MCTAV', 'MABN2', 'ABN6', 'MPEN', 'CTFP', 'M916', 'EML_NTF', 'A.NE', 'N/=.', 'DOCK'])(
    '%s gives no date by itself, and says what to do',
    (code) => {
      expect(answered(code, { period: 'P3M' })).toMatch(/^CASE_INVALID .* names no rule\. \S/);
    },
  );

  it.each(['NTC.FILG', 'MZZQ9', 'mctnf'])('%s is an unknown event: a person must look', (code) => {
    expect(answered(code, { office: 'US', period: 'P3M' })).toMatch(
      /^EVENT_UNKNOWN .*a person must look/,
    );
    // Where a person has looked, their word counts.
    expect(answered(code, { office: 'US', rule: 'US-ROLL', period: 'P3M' })).toBe(
      'US-ROLL 2026-06-02',
    );
  });

  it('that starts two periods names the other beside the date', () => {
    const one = { event_code: 'MAPEA', trigger_date: '2026-03-02' };
    const found = computeDeadline(readPatentCase(one), law, { explain: false });
    expect(found.warnings.join(' ')).toContain('US-APPEAL-FORWARDING-FEE');
  });
});

describe('an event of the European register', () => {
  it.each(['0009185', 'EPIDOSNIGR1', '0009121', '0009181', 'EPIDOSNREF2', '0009271'])(
    '%s starts a period from the document, so none is computed from the entry',
    (code) => {
      expect(answered(code)).toMatch(/^CASE_INVALID .*the date on the document/);
    },
  );

  it('that publishes the search report counts from the Bulletin', () => {
    expect(answered('0009013')).toBe('EP-R70-1-70A 2026-09-02');
  });

  it.each(['EPIDOSNNOA2O', 'EPIDOSNXXX1', '0008299EXPT'])('%s is unknown', (code) => {
    expect(answered(code, { office: 'EP' })).toMatch(/^EVENT_UNKNOWN/);
  });

  it('0009261 says that no opposition was filed, and not that one was', () => {
    expect(answered('0009261')).toMatch(/No opposition filed/);
  });
});

describe('the mapping of the file wrapper', () => {
  const mapping = readDocketMapping(readMapping('uspto-file-wrapper.json'));
  const read = (codes: readonly string[]) => {
    const eventDataBag = codes.map((eventCode) => ({ eventCode, eventDate: '2026-11-02' }));
    const record = {
      applicationNumberText: '18300401',
      applicationMetaData: { filingDate: '2024-03-11' },
      eventDataBag,
    };
    const document: JsonValue = { patentFileWrapperDataBag: [record] };
    const { readings, skipped } = readDocketDocument(document, mapping);
    const kept = readings.map((one) => (one.kind === 'event' ? one.event.eventCode : one.kind));
    return { kept, skipped: [...skipped.keys()] };
  };

  it('keeps each event that no table knows, and each that a person must look at', () => {
    const codes = ['MZZQ9', 'NTC.FILG', 'INCD', 'MABN2', 'MCTAV', 'MPEN', 'M905', 'APEA2'];
    expect(read(codes)).toEqual({ kept: codes, skipped: [] });
  });

  it('leaves out only what the law knows to start no period, or the entry before the mailing', () => {
    const known = new Map(law.rules.eventCodes.map((event) => [event.code, event]));
    for (const code of mapping.leftOut) {
      const event = known.get(code);
      expect(event?.office, code).toBe('US');
      expect(event?.standing, code).not.toBe('unknown');
      const isEntry = known.has(`M${code}`) || mapping.eventCodes.has(`M${code}`);
      if (event?.rule !== undefined) expect(isEntry, code).toBe(true);
    }
  });
});
