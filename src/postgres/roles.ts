/**
 * The second wall: roles that can do no more than their part, and row security by tenant. Product connections log in as
 * whoever DATABASE_URL names and take a role on (`SET ROLE`), so no further passwords exist. That guards against our own
 * faults and against a statement that is smuggled in; it does not guard against whoever holds the login itself.
 *
 * Roles belong to the whole server, so their names begin with the installation's prefix. Where the login may not create
 * roles, the product works all the same with the triggers alone, and `rolesState` says why.
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
import { grantToLogin, loginsOf } from './login-rights.ts';
import { text } from './rows.ts';
import type { Session, Statement } from './session.ts';

type Run = Session['run'];

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
  'ledger_signing_key',
  'ledger_tenant_key',
  'ledger_dek',
  'ledger_blob',
  'ledger_hold',
  'ledger_shredding',
  'ledger_set_aside',
] as const;

/** Read by all, written by whoever logs in. */
const COMMON_TABLES: readonly string[] = ['installation', 'migration', 'quarantine', 'tenant'];

/**
 * Without row security: which tenants exist, and their wrapped keys, must be seen before a tenant is known. Only the
 * login and the owner reach the keys.
 */
const UNSECURED: readonly string[] = ['installation', 'migration', 'tenant', 'ledger_tenant_key'];

const INSUFFICIENT_PRIVILEGE = '42501';

const STATE: Statement = {
  name: 'roles-state',
  text: `select role_prefix, roles, coalesce(current_setting('fw.tenant', true), '') as tenant from installation`,
};

const TABLES: Statement = {
  name: '',
  text: `
select c.relname as name, c.relkind as kind, c.relforcerowsecurity as forced, exists (
    select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and a.attnum > 0) as has_tenant
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'p', 'S') order by c.relname`,
};

const EXISTING: Statement = {
  name: '',
  text: `select rolname as name from pg_roles where left(rolname, length($1)) = $1`,
};

const POLICIES: Statement = {
  name: '',
  text: `select tablename as table_name, policyname as name from pg_policies where schemaname = $1 and policyname like 'fw\\_%'`,
};

interface RolesState {
  readonly isReady: boolean;
  readonly prefix: string;
  /** Why there are none; empty when they are ready. */
  readonly reason: string;
}

/** For `doctor`: whether the roles stand, or why not. */
export async function rolesState(session: Pick<Session, 'run'>): Promise<RolesState> {
  const [row] = await session.run(STATE);
  const state = text(row?.['roles']);
  const isReady = state === 'ready';
  return { isReady, prefix: text(row?.['role_prefix']), reason: isReady ? '' : state };
}

const ASSUME: Statement = {
  name: 'roles-assume',
  text: `select set_config('role', role_prefix || '_' || $1::text, true) from installation where roles = 'ready'`,
};

/** Takes a role on until the end of the transaction; without effect where there are none. */
export async function assumeRole(run: Run, role: RoleName): Promise<void> {
  await run(ASSUME, [role]);
}

/**
 * Makes the roles, their rights and the row security, in the caller's transaction; to be repeated after each migration.
 * Only when the session knows its tenant: otherwise row security would hide every row from a login that is bound by it.
 */
export async function ensureRoles(run: Run, schema: string): Promise<void> {
  const [state] = await run(STATE);
  if (text(state?.['tenant']) === '') return;
  const prefix = text(state?.['role_prefix']);
  await run({ name: '', text: 'savepoint roles' });
  try {
    for (const statement of await roleStatements(run, schema, prefix)) {
      await run({ name: '', text: statement });
    }
    await say(run, 'ready');
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    await run({ name: '', text: 'rollback to savepoint roles' });
    const reason = error instanceof Error ? error.message : String(error);
    await say(
      run,
      `the database login may not create roles (${reason}); give it CREATEROLE, or run any command once as an administrator of the database`,
    );
  }
  await run({ name: '', text: 'release savepoint roles' });
}

/** Row security binds the owner too; a migration must see all rows, so it is lifted until `ensureRoles` sets it again. */
export async function liftRowSecurity(run: Run, schema: string): Promise<void> {
  for (const table of await run(TABLES, [schema])) {
    if (table['forced'] !== true) continue;
    await run({ name: '', text: `alter table ${text(table['name'])} no force row level security` });
  }
}

async function say(run: Run, state: string): Promise<void> {
  await run({ name: '', text: 'update installation set roles = $1' }, [state]);
}

async function roleStatements(run: Run, schema: string, prefix: string): Promise<string[]> {
  const role = (name: RoleName): string => `${prefix}_${name}`;
  const existing = new Set((await run(EXISTING, [`${prefix}_`])).map((row) => text(row['name'])));
  const tables = (await run(TABLES, [schema])).map((row) => ({
    name: text(row['name']),
    isSequence: row['kind'] === 'S',
    hasTenant: row['has_tenant'] === true,
  }));
  const rowTables = tables.filter((table) => !table.isSequence);
  const isLedger = (name: string): boolean => LEDGER_TABLES.some((each) => each === name);
  const own = rowTables.filter(
    ({ name }) => !isLedger(name) && !COMMON_TABLES.includes(name) && !STAGE_TABLES.includes(name),
  );
  const policies = (await run(POLICIES, [schema])).map(
    (row) => `drop policy ${text(row['name'])} on ${text(row['table_name'])}`,
  );
  const logins = await loginsOf(run, schema, `${prefix}_`);
  return [
    ...ROLE_NAMES.filter((name) => !existing.has(role(name))).flatMap((name) => [
      `create role ${role(name)} nologin`,
      `grant ${role(name)} to current_user`,
    ]),
    // Whoever the tables are taken from works on with them.
    ...logins.map((login) => grantToLogin(ROLE_NAMES.map(role), login)),
    `grant ${role('owner')} to ${role('migrate')}`,
    // Not to the stages: each has its own tables and its contracts, and nothing of the filings.
    `grant ${role('app')} to ${SERVICE_BOUNDARIES.filter((name) => !isStage(name))
      .map(role)
      .join(', ')}`,
    ...STAGES.filter((name) => existing.has(role(name))).map(
      (name) => `revoke ${role('app')} from ${role(name)}`,
    ),
    `revoke all on schema ${schema} from public`,
    `revoke all on all tables in schema ${schema} from public`,
    `revoke all on all sequences in schema ${schema} from public`,
    `grant usage on schema ${schema} to ${ROLE_NAMES.map(role).join(', ')}`,
    `grant create on schema ${schema} to ${role('owner')}`,
    // A sequence that belongs to a column follows its table.
    ...rowTables.map(({ name }) => `alter table ${name} owner to ${role('owner')}`),
    ...grants(
      role,
      schema,
      own.map(({ name }) => name),
    ),
    ...policies,
    ...rowTables
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

type Named = (name: RoleName) => string;

function grants(role: Named, schema: string, own: readonly string[]): string[] {
  const services = SERVICE_BOUNDARIES.map(role).join(', ');
  const sequencers = LEDGER_BOUNDARIES.map((boundary) => role(`seq_${boundary}`)).join(', ');
  const all = [...LEDGER_TABLES, ...COMMON_TABLES, ...STAGE_TABLES, ...own].join(', ');
  return [
    // Not even the owner, before the triggers are asked at all.
    `revoke update, delete, truncate on ledger_entry, ledger_checkpoint, ledger_tile, ledger_set_aside from ${role('owner')}`,
    `grant select on ${all} to ${role('read')}`,
    `grant select on ${COMMON_TABLES.join(', ')} to ${role('app')}, ${role('shred')}, ${sequencers}, ${STAGES.map(role).join(', ')}`,
    ...stageGrants(role),
    ...(own.length === 0
      ? []
      : [
          `grant select, insert, update, delete on ${own.join(', ')} to ${role('app')}`,
          `grant select on ${own.join(', ')} to ${role('shred')}`,
          // What was read of a docket goes with the key of its client.
          `grant update (docket, source, closing) on docket to ${role('shred')}`,
        ]),
    `grant usage on all sequences in schema ${schema} to ${role('app')}, ${role('shred')}, ${sequencers}`,
    // A service adds facts, and reads and adds the sealed bodies of its filings; nothing else of the ledger.
    `grant insert on ledger_intake to ${services}, ${role('shred')}, ${sequencers}`,
    `grant select, insert on ledger_blob, ledger_dek to ${services}`,
    `grant select, delete on ledger_intake to ${sequencers}`,
    `grant select, insert on ledger_entry, ledger_tile, ledger_checkpoint, ledger_signing_key, ledger_set_aside to ${sequencers}`,
    `grant select, insert, update on ledger_head to ${sequencers}`,
    // Adds a key only to seal a fact that no entry can hold (store/kept-facts.ts).
    `grant select, insert, update (bodies) on ledger_dek to ${sequencers}`,
    `grant select on ledger_hold, ledger_head to ${sequencers}, ${role('shred')}`,
    `grant select, update (wrapped, state, shredded_at, retain_until) on ledger_dek to ${role('shred')}`,
    `grant select, delete on ledger_blob to ${role('shred')}`,
    `grant select, insert on ledger_shredding to ${role('shred')}`,
    // The guard of the data keys looks them up for whoever adds one.
    `grant select (tenant, id, rotations) on ledger_tenant_key to ${services}, ${sequencers}, ${role('shred')}`,
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
        ...[...mine, 'ledger_signing_key', 'ledger_intake', 'ledger_set_aside'].map((table) =>
          policy(name, table, 'all', role(name), of(boundary)),
        ),
        // The head of every log goes into the spine.
        policy(`${name}_spine`, 'ledger_intake', 'insert', role(name), of('spine')),
        policy(name, 'ledger_dek', 'all', role(name), MINE),
      ];
    }),
    policy('shred', 'ledger_intake', 'insert', role('shred'), of('access')),
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

/** Removes the roles of a database that is about to be dropped; they would outlive it. */
export async function dropRoles(session: Session): Promise<void> {
  const { isReady, prefix } = await rolesState(session);
  if (!isReady) return;
  await session.transaction(async (run) => {
    for (const name of ROLE_NAMES) {
      await run({ name: '', text: `reassign owned by ${prefix}_${name} to current_user` });
      await run({ name: '', text: `drop owned by ${prefix}_${name}` });
      await run({ name: '', text: `drop role ${prefix}_${name}` });
    }
    await say(run, 'not made yet');
  });
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
