import type { Check } from '../support.ts';
import { CHECKPOINT_CHECKS } from './checkpoint-checks.ts';
import { JSON_CHECKS } from './json-checks.ts';
import { LOG_CHECKS } from './log-checks.ts';
import { NOTE_CHECKS } from './note-checks.ts';
import { POLICY_CHECKS } from './policy-checks.ts';
import { PROOF_CHECKS } from './proof-checks.ts';
import { TILE_CHECKS } from './tile-checks.ts';

export const LEDGER_CHECKS: Readonly<Record<string, readonly Check[]>> = {
  JSON: JSON_CHECKS,
  proofs: PROOF_CHECKS,
  notes: NOTE_CHECKS,
  checkpoints: CHECKPOINT_CHECKS,
  'trust policies': POLICY_CHECKS,
  tiles: TILE_CHECKS,
  'whole logs': LOG_CHECKS,
};
