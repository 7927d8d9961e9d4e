/** Numbers of offices as people copy them. The adversary: a second use under another spelling, and two numbers that only look alike. */
import { describe, expect, it } from 'vitest';
import { fileKind, readDollars, receiptFault } from './confirmation.ts';
import { sampleProfile } from '../../testing/simulator/sample-profile.ts';

describe('a receipt', () => {
  it('with letters of another script are refused where a pattern lets them in', () => {
    const receipt = { ...sampleProfile().receipt, pattern: '^\\S+$' };
    const profile = sampleProfile({ receipt });
    expect(receiptFault('NV-1', profile)).toBeUndefined();
    expect(receiptFault('\u041dV-1', profile)).toContain('reads in one way');
  });
});

describe('what is attached', () => {
  it('is known by its bytes, also where the office has put something before them', () => {
    const pdf = Buffer.from('%PDF-1.7\n');
    expect(fileKind(pdf)).toBe('pdf');
    expect(fileKind(Buffer.concat([Buffer.from('\ufeff\r\n'), pdf]))).toBe('pdf');
    expect(fileKind(Buffer.concat([Buffer.alloc(2000, 0x20), pdf]))).toBeUndefined();
    expect(fileKind(Buffer.from('<html>%PDF-1.7'))).toBeUndefined();
  });

  it('is paid in dollars that read in one way', () => {
    expect(['50', '50.00', '$1,050.00', '1050'].map(readDollars)).toEqual([
      5_000, 5_000, 105_000, 105_000,
    ]);
    expect(['50.5', '1,05', '', '-5', '50,00'].map(readDollars)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});
