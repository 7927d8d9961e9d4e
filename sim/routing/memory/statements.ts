/** Every statement that the twin knows, by the name under which `src` prepares it. */
import { DOCKET_STATEMENTS } from './docket-statements.ts';
import { HANDOFF_STATEMENTS } from './handoff-statements.ts';
import { LEDGER_STATEMENTS } from './ledger-statements.ts';
import type { StatementWork } from './query.ts';
import { RECOVERY_STATEMENTS } from './recovery-statements.ts';
import { SETUP_STATEMENTS } from './setup-statements.ts';
import { STEP_STATEMENTS } from './step-statements.ts';
import { WORK_STATEMENTS } from './work-statements.ts';

export const STATEMENTS: ReadonlyMap<string, StatementWork> = new Map(
  Object.entries({
    ...DOCKET_STATEMENTS,
    ...HANDOFF_STATEMENTS,
    ...LEDGER_STATEMENTS,
    ...RECOVERY_STATEMENTS,
    ...SETUP_STATEMENTS,
    ...STEP_STATEMENTS,
    ...WORK_STATEMENTS,
  }),
);
