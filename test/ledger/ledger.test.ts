/** The checks that the planted mutations are caught by, on the ledger as it is. */
import { describe, it } from 'vitest';
import * as ledger from '../../src/ledger/pure.ts';
import { LEDGER_CHECKS } from './checks/all-checks.ts';

describe.each(Object.entries(LEDGER_CHECKS))('%s', (_subject, checks) => {
  it.each(checks)('$name', async ({ run }) => {
    await run(ledger);
  });
});
