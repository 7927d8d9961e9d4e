/**
 * The walls between the stages of the grants pipeline: which role may do what with which table. What is not said here is
 * refused by the database. Columns are named where a stage may see only a part: that part is the contract.
 */
import type { LedgerBoundary } from '../core/index.ts';

export const STAGES = ['ingestion', 'reconciliation', 'rules', 'reporting', 'fallback'] as const;
export type Stage = (typeof STAGES)[number];

export function isStage(boundary: LedgerBoundary): boundary is Stage {
  return STAGES.some((stage) => stage === boundary);
}

type Right = readonly [table: string, ...rights: string[]];

const ADD = ['select', 'insert'] as const;

/** Rows belong to a boundary: a stage adds only its own. */
const BY_BOUNDARY = ['grant_metadata', 'grant_escalation'] as const;

/** Rows belong to a purpose: a stage sees, adds and changes only its own. */
const BY_PURPOSE = ['question', 'question_try'] as const;

const PURPOSES = { ingestion: 'fetch', reconciliation: 'verification' } as const;
type AskingStage = keyof typeof PURPOSES;
export type Purpose = (typeof PURPOSES)[AskingStage];

/** What a stage asks lanes for. */
export function purposeOf(stage: Stage): Purpose {
  if (stage === 'ingestion' || stage === 'reconciliation') return PURPOSES[stage];
  throw new Error(`${stage} asks no lane anything`);
}
/** Proposals belong to a stage by their kind; all other kinds are the business of the services. */
const PROPOSALS: Partial<Readonly<Record<Stage, string>>> = {
  ingestion: 'exception',
  fallback: 'exception',
  reconciliation: 'statement',
};
const DECIDE = 'update (state, sha256, decided_by, decided_at, decision_reason)';

const RIGHTS: Readonly<Record<Stage, readonly Right[]>> = {
  ingestion: [
    ['grant_document', ...ADD],
    ['grant_award', ...ADD],
    ['grant_award_group', ...ADD],
    ['grant_award_end', ...ADD],
    ['question', ...ADD, 'update'],
    ['question_try', ...ADD],
    ['grant_metadata', ...ADD],
    ['grant_escalation', 'insert'],
    // Whether two people have agreed to a correction, and to which.
    ['grant_exception', 'select (tenant, id, award_key, amends)'],
    ['proposal', 'select (tenant, kind, subject, terms, state)'],
  ],
  reconciliation: [
    [
      'grant_award',
      'select (tenant, key, grantor, cents, payload_sha256, mapping_sha256, ingested_at, replaces)',
    ],
    ['grant_award_group', 'select'],
    ['grant_metadata', ...ADD],
    ['grant_escalation', 'insert'],
    ['grant_feed', ...ADD],
    ['grant_statement', ...ADD],
    ['grant_balance', ...ADD],
    ['proposal', ...ADD, DECIDE],
    // A disabled person agrees to nothing, nor one without a role, and nobody to what their own party proposed.
    ['person', 'select (tenant, id, party, disabled_at)'],
    ['person_role', 'select (tenant, person, role, taken_at)'],
    ['grant_line', ...ADD],
    ['grant_line_group', ...ADD],
    ['grant_period', ...ADD],
    ['grant_draft', ...ADD, 'delete'],
    ['grant_match', ...ADD],
    ['grant_match_line', ...ADD],
    ['grant_match_part', ...ADD],
    ['grant_award_end', 'select'],
    ['grant_resolution', ...ADD],
    ['grant_crossing', ...ADD],
    ['grant_check', ...ADD],
    ['grant_release', ...ADD],
    ['grant_received', ...ADD],
    ['question', ...ADD, 'update'],
    ['question_try', ...ADD],
  ],
  rules: [
    ['grant_award_group', 'select'],
    ['grant_award_end', 'select'],
    ['grant_received', 'select'],
    ['grant_metadata', ...ADD],
    ['grant_escalation', 'insert'],
    ['grant_evaluation', ...ADD],
    ['grant_duty', ...ADD],
    // Another party corrects what one has recorded.
    ['person', 'select (tenant, id, party, disabled_at)'],
  ],
  reporting: [
    ['grant_award_group', 'select'],
    ['grant_award_end', 'select'],
    ['grant_received', 'select'],
    ['grant_metadata', ...ADD],
    ['grant_escalation', 'insert'],
    ['grant_report', ...ADD],
  ],
  fallback: [
    ['grant_escalation', 'select'],
    ['grant_exception', ...ADD],
    ['proposal', ...ADD, DECIDE],
    ['grant_metadata', ...ADD],
    // Which document came in place of an exception.
    ['grant_document', 'select (tenant, id, replaces)'],
    ['grant_award', 'select (tenant, key, document)'],
    // A disabled person approves nothing, nor one without a role for it.
    ['person', 'select (tenant, id, party, disabled_at)'],
    ['person_role', 'select (tenant, person, role, taken_at)'],
  ],
};

/** Tables of the stages; no other service reaches them. */
export const STAGE_TABLES: readonly string[] = [
  ...new Set(Object.values(RIGHTS).flatMap((rights) => rights.map(([table]) => table))),
].filter((table) => !['person', 'person_role', 'proposal'].includes(table));

/**
 * Data keys are found by their subject, `<domain>/<what>`. A stage reaches the keys of its own domain and of the contracts
 * it takes part in: `handoff` carries awards to the stages behind, `escalation` what goes to the fallback.
 */
const KEY_DOMAINS: Readonly<Record<Stage, readonly string[]>> = {
  ingestion: ['ingestion', 'award', 'escalation'],
  reconciliation: ['reconciliation', 'award', 'escalation'],
  rules: ['rules', 'award', 'escalation'],
  reporting: ['reporting', 'award', 'escalation'],
  fallback: ['fallback', 'escalation'],
};

export function stageKeys(stage: Stage): string {
  const domains = KEY_DOMAINS[stage].map((domain) => `'${domain}'`).join(', ');
  return `split_part(subject, '/', 1) in (${domains})`;
}

export function stageGrants(role: (name: Stage) => string): string[] {
  const all = STAGES.map(role).join(', ');
  return [
    `grant usage on sequence ledger_intake_n_seq to ${all}`,
    // How long a document must be kept is known when it is read; the guard of the keys lets it only grow.
    `grant update (retain_until) on ledger_dek to ${all}`,
    ...STAGES.flatMap((stage) =>
      RIGHTS[stage].map(
        ([table, ...rights]) => `grant ${rights.join(', ')} on ${table} to ${role(stage)}`,
      ),
    ),
  ];
}

/** Tables whose rows not everybody who reaches them may see or add. */
export function hasRowsByOwner(table: string): boolean {
  return table === 'proposal' || [...BY_BOUNDARY, ...BY_PURPOSE].some((each) => each === table);
}

interface StagePolicy {
  readonly name: string;
  readonly table: string;
  readonly command: 'all' | 'select' | 'insert';
  readonly to: 'owner' | 'read' | 'app' | Stage;
  /** Which rows of the tenant; all of them unless told. */
  readonly only?: string;
}

export function stagePolicies(): StagePolicy[] {
  const ofStages = Object.values(PROPOSALS).map((kind) => `'${kind}'`);
  return [
    ...['proposal', ...BY_BOUNDARY, ...BY_PURPOSE].flatMap((table): StagePolicy[] => [
      { name: 'owner', table, command: 'all', to: 'owner' },
      { name: 'read', table, command: 'select', to: 'read' },
    ]),
    ...BY_BOUNDARY.flatMap((table) =>
      STAGES.flatMap((stage): StagePolicy[] => [
        { name: `${stage}_reads`, table, command: 'select', to: stage },
        { name: stage, table, command: 'insert', to: stage, only: `boundary = '${stage}'` },
      ]),
    ),
    ...BY_PURPOSE.flatMap((table) =>
      (['ingestion', 'reconciliation'] as const).map((stage): StagePolicy => {
        const only = `purpose = '${PURPOSES[stage]}'`;
        return { name: stage, table, command: 'all', to: stage, only };
      }),
    ),
    ...[
      { name: 'app', to: 'app' as const, only: `kind not in (${ofStages.join(', ')})` },
      ...STAGES.filter((stage) => PROPOSALS[stage] !== undefined).map((stage) => ({
        name: stage,
        to: stage,
        only: `kind = '${PROPOSALS[stage]}'`,
      })),
    ].map((each): StagePolicy => ({ ...each, table: 'proposal', command: 'all' })),
  ];
}
