/** A hundred thousand exports that differ from a good one in a single bit. */
import { expect, it } from 'vitest';
import * as ledger from '../../src/ledger/pure.ts';
import { flipBits, flipEveryBit } from './checks/log-checks.ts';
import { signedLog } from './support.ts';

const MINUTES_5_MS = 300_000;
// Each has about 17,000 bits: its entries, its checkpoint and both signatures.
const SMALL_LOGS = ['first', 'second', 'third', 'fourth', 'fifth'];

let flips = 0;

it.each(SMALL_LOGS)(
  'every single bit of the %s small export is noticed when it flips',
  (trace) => {
    const done = flipEveryBit(ledger, signedLog(ledger, 4, trace));
    flips += done.flips;
    expect([...done.reasons].sort()).toEqual([
      'MALFORMED_CHECKPOINT',
      'ROOT_MISMATCH',
      'UNTRUSTED_SIGNATURE',
    ]);
  },
  MINUTES_5_MS,
);

it(
  'so is any bit of an export of forty entries; a hundred thousand in all',
  () => {
    flips += flipBits(ledger, { entries: 40, flips: 16_000, seed: 20_260_302 });
    expect(flips).toBeGreaterThanOrEqual(100_000);
  },
  MINUTES_5_MS,
);
