import { describe, expect, it } from 'vitest';
import { findReferences } from './references.ts';

describe('references in text', () => {
  it.each([
    [['PMS2603020017 TRN 101036670000017'], ['PMS2603020017'], '101036670000017'],
    [['GRANT FOR MT-771, thank you'], ['MT-771'], undefined],
    [['ACH CREDIT TRACE#: 091000010000444 COUNTY'], [], '091000010000444'],
    [['TRACE NUMBER 091000010000444'], [], '091000010000444'],
    [['RMT*IV*PMS2603020017**125000.00\\'], ['PMS2603020017'], undefined],
    [['Thank you for 3 nice days'], [], undefined],
    [['TRN 1010366700000171'], ['1010366700000171'], undefined],
  ])('%j', (pieces, references, trace) => {
    expect(findReferences({ fields: [], pieces })).toMatchObject({ references, trace });
  });

  it('a word cut in two is found as one, and the two halves too', () => {
    const { references } = findReferences({ fields: [], pieces: ['FOR ASAP8812', '0031 DRAW'] });
    expect(references).toEqual(['ASAP8812', '0031', 'ASAP88120031']);
  });

  it('a trace cut in two is found', () => {
    const found = findReferences({ fields: [], pieces: ['HHS PMS TRN 1010366', '70000017'] });
    expect(found.trace).toBe('101036670000017');
  });

  it('fillers are no references, fields come first and once', () => {
    const { references } = findReferences({
      fields: ['NOTPROVIDED', undefined, ' A-1 ', 'nonref', 'A-1'],
      pieces: ['HCF-2026-014'],
    });
    expect(references).toEqual(['A-1', 'HCF-2026-014']);
  });

  it('a long text costs bounded work and keeps a bounded number', () => {
    const text = Array.from({ length: 5_000 }, (_, at) => `REF-${at}`).join(' ');
    expect(findReferences({ fields: [], pieces: [text] }).references).toHaveLength(64);
  });
});
