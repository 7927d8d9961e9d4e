/**
 * What each role may do, as statements: grants and row security. Pure; roles.ts runs them, and sql/roles.sql holds them for an
 * administrator.
 */
import { LEDGER_BOUNDARIES, type LedgerBoundary } from '../core/index.ts';
import {
  hasRowsByOwner,
  isStage,
  STAGE_TABLES,
  stageGrants,
  stageKeys,
  stagePolicies,
  STAGES,
} from './grant-walls.ts';

/** Every boundary whose service writes facts; the spine's come from the sequencers. */
const SERVICE_BOUNDARIES: readonly LedgerBoundary[] = LEDGER_BOUNDARIES.filter(
  (boundary) => boundary !== 'spine',
);

export type RoleName =
  | 'owner'
  | 'migrate'
  | 'app'
  | 'read'
  | 'shred'
  | LedgerBoundary
  | `seq_${LedgerBoundary}`;

export const ROLE_NAMES: readonly RoleName[] = [
  'owner',
  'migrate',
  'app',
  'read',
  'shred',
  ...SERVICE_BOUNDARIES,
  ...LEDGER_BOUNDARIES.map((boundary) => `seq_${boundary}` as const),
];

/** Tables that the roles of services reach only as far as it is said below. */
const LEDGER_TABLES = [
  'ledger_head',
  'ledger_intake',
  'ledger_entry',
  'ledger_tile',
  'ledger_checkpoint',
  'ledger_cosignature',
  'ledger_timestamp',
  'ledger_signing_key',
  'ledger_tenant_key',
  'ledger_dek',
  'ledger_blob',
  'ledger_hold',
  'ledger_shredding',
  'ledger_set_aside',
] as const;

/** Read by all, written by whoever logs in. */
const COMMON_TABLES: readonly string[] = [
  'fact_right',
  'installation',
  'migration',
  'quarantine',
  'tenant',
];

/**
 * Without row security: which tenants exist, and their wrapped keys, must be seen before a tenant is known. Only the
 * login and the owner reach the keys.
 */
const UNSECURED: readonly string[] = [
  'fact_right',
  'installation',
  'migration',
  'tenant',
  'ledger_tenant_key',
];

/** What opens or signs something, or lets somebody in: whoever only reads has no use for it. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  ledger_dek: ['wrapped'],
  ledger_signing_key: ['wrapped'],
  ledger_tenant_key: ['wrapped', 'former'],
  person_enrollment: ['first_sha256', 'second_sha256'],
  person_key: ['sha256'],
  person_session: ['sha256'],
  program_token: ['sha256'],
  request_answer: ['sealed'],
  sign_in_link: ['sha256'],
  subscription_secret: ['sealed'],
};

type Named = (name: RoleName) => string;

interface SecuredTable {
  readonly name: string;
  readonly hasTenant: boolean;
  readonly columns: readonly string[];
}

/** Rights of roles that stand, on these tables; whoever runs it may hand the tables to their owner. */
export function rightsStatements(
  role: Named,
  schema: string,
  tables: readonly SecuredTable[],
): string[] {
  const isLedger = (name: string): boolean => LEDGER_TABLES.some((each) => each === name);
  const own = tables.filter(
    ({ name }) => !isLedger(name) && !COMMON_TABLES.includes(name) && !STAGE_TABLES.includes(name),
  );
  return [
    `grant ${role('owner')} to ${role('migrate')}`,
    // Not to the stages: each has its own tables and its contracts, and nothing of the filings.
    `grant ${role('app')} to ${SERVICE_BOUNDARIES.filter((name) => !isStage(name))
      .map(role)
      .join(', ')}`,
    `revoke all on schema ${schema} from public`,
    `revoke all on all tables in schema ${schema} from public`,
    `revoke all on all sequences in schema ${schema} from public`,
    `grant usage on schema ${schema} to ${ROLE_NAMES.map(role).join(', ')}`,
    `grant create on schema ${schema} to ${role('owner')}`,
    // A sequence that belongs to a column follows its table.
    ...tables.map(({ name }) => `alter table ${name} owner to ${role('owner')}`),
    ...readerGrants(role, tables),
    ...grants(
      role,
      schema,
      own.map(({ name }) => name),
    ),
    ...tables
      .filter(({ name, hasTenant }) => hasTenant && !UNSECURED.includes(name))
      .flatMap(({ name }) => [
        `alter table ${name} enable row level security`,
        `alter table ${name} force row level security`,
        ...(isLedger(name) || hasRowsByOwner(name)
          ? []
          : [policy('tenant', name, 'all', 'public', MINE)]),
      ]),
    ...ledgerPolicies(role),
    ...stagePolicies().map(({ name, table, command, to, only }) =>
      policy(name, table, command, role(to), only === undefined ? MINE : `${MINE} and ${only}`),
    ),
  ];
}

/** Column by column where a table holds a secret: a right to the table would be one to all of it. */
function readerGrants(role: Named, tables: readonly SecuredTable[]): string[] {
  const reader = role('read');
  const open = tables.filter(({ name }) => SECRETS[name] === undefined).map(({ name }) => name);
  return [
    `grant select on ${open.join(', ')} to ${reader}`,
    ...tables.flatMap(({ name, columns }) => {
      const secret = SECRETS[name];
      if (secret === undefined) return [];
      const shown = columns.filter((column) => !secret.includes(column));
      return [`grant select (${shown.join(', ')}) on ${name} to ${reader}`];
    }),
  ];
}

function grants(role: Named, schema: string, own: readonly string[]): string[] {
  const services = SERVICE_BOUNDARIES.map(role).join(', ');
  const sequencers = LEDGER_BOUNDARIES.map((boundary) => role(`seq_${boundary}`)).join(', ');
  return [
    // Not even the owner, before the triggers are asked at all.
    `revoke update, delete, truncate on ledger_entry, ledger_checkpoint, ledger_cosignature, ledger_timestamp, ledger_tile, ledger_set_aside from ${role('owner')}`,
    `grant select on ${COMMON_TABLES.join(', ')} to ${role('app')}, ${role('shred')}, ${sequencers}, ${STAGES.map(role).join(', ')}`,
    ...stageGrants(role),
    // Waiting for each other is everybody's affair.
    `grant select, insert, update on named_lock to ${STAGES.map(role).join(', ')}, ${role('shred')}`,
    ...(own.length === 0
      ? []
      : [
          `grant select, insert, update, delete on ${own.join(', ')} to ${role('app')}`,
          `grant select on ${own.join(', ')} to ${role('shred')}`,
          // What was read of a docket goes with the key of its client.
          `grant update (docket, source, closing) on docket to ${role('shred')}`,
          `grant update (read, source) on docket_version to ${role('shred')}`,
        ]),
    `grant usage on all sequences in schema ${schema} to ${role('app')}, ${role('shred')}, ${sequencers}`,
    // A service adds facts, and reads and adds the sealed bodies of its filings; nothing else of the ledger.
    `grant insert on ledger_intake to ${services}, ${role('shred')}, ${sequencers}`,
    `grant select, insert on ledger_blob, ledger_dek to ${services}`,
    `grant select, delete on ledger_intake to ${sequencers}`,
    `grant select, insert on ledger_entry, ledger_tile, ledger_checkpoint, ledger_cosignature, ledger_timestamp, ledger_signing_key, ledger_set_aside to ${sequencers}`,
    `grant select, insert, update on ledger_head to ${sequencers}`,
    // Adds a key only to seal a fact that no entry can hold (store/kept-facts.ts).
    `grant select, insert, update (bodies) on ledger_dek to ${sequencers}`,
    `grant select on ledger_hold, ledger_head to ${sequencers}, ${role('shred')}`,
    `grant select, update (wrapped, state, shredded_at, retain_until) on ledger_dek to ${role('shred')}`,
    `grant select, delete on ledger_blob to ${role('shred')}`,
    `grant select, insert on ledger_shredding to ${role('shred')}`,
    // Whoever adds a key asks under which it must be wrapped, and the guard asks again.
    `grant select (tenant, id, label) on ledger_tenant_key to ${services}, ${sequencers}, ${role('shred')}`,
  ];
}

/** An unset tenant is null, and null equals nothing: no rows. */
const MINE = `tenant = current_setting('fw.tenant', true)`;

function ofBoundary(boundary: LedgerBoundary): string {
  return `${MINE} and boundary = '${boundary}'`;
}

function ledgerPolicies(role: Named): string[] {
  const secured = LEDGER_TABLES.filter((name) => !UNSECURED.includes(name));
  const of = ofBoundary;
  return [
    ...secured.flatMap((table) => [
      policy('owner', table, 'all', role('owner'), MINE),
      policy('read', table, 'select', role('read'), MINE),
    ]),
    ...SERVICE_BOUNDARIES.flatMap((boundary) => [
      policy(boundary, 'ledger_intake', 'insert', role(boundary), of(boundary)),
      policy(`${boundary}_reads`, 'ledger_blob', 'select', role(boundary), of(boundary)),
      policy(boundary, 'ledger_blob', 'insert', role(boundary), of(boundary)),
      ...(isStage(boundary)
        ? [
            policy(
              boundary,
              'ledger_dek',
              'all',
              role(boundary),
              `${MINE} and ${stageKeys(boundary)}`,
            ),
          ]
        : [
            policy(`${boundary}_reads`, 'ledger_dek', 'select', role(boundary), MINE),
            policy(boundary, 'ledger_dek', 'insert', role(boundary), MINE),
          ]),
    ]),
    ...LEDGER_BOUNDARIES.flatMap((boundary) => {
      const name = `seq_${boundary}` as const;
      const mine = ['ledger_entry', 'ledger_tile', 'ledger_checkpoint', 'ledger_head'] as const;
      return [
        ...[
          ...mine,
          'ledger_cosignature',
          'ledger_timestamp',
          'ledger_signing_key',
          'ledger_intake',
          'ledger_set_aside',
        ].map((table) => policy(name, table, 'all', role(name), of(boundary))),
        // The head of every log goes into the spine.
        policy(
          `${name}_spine`,
          'ledger_intake',
          'insert',
          role(name),
          `${of('spine')} and type = 'spine.head'`,
        ),
        policy(name, 'ledger_dek', 'all', role(name), MINE),
      ];
    }),
    // Whoever destroys says what was destroyed, and nothing else.
    policy(
      'shred',
      'ledger_intake',
      'insert',
      role('shred'),
      `${of('access')} and type = 'retention.shredded'`,
    ),
    ...['ledger_dek', 'ledger_blob', 'ledger_shredding', 'ledger_hold'].map((table) =>
      policy('shred', table, 'all', role('shred'), MINE),
    ),
  ];
}

function policy(
  name: string,
  table: string,
  command: 'all' | 'select' | 'insert',
  to: string,
  condition: string,
): string {
  const using = command === 'insert' ? '' : ` using (${condition})`;
  const check = command === 'select' ? '' : ` with check (${condition})`;
  return `create policy fw_${name} on ${table} for ${command} to ${to}${using}${check}`;
}
