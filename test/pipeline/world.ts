/** A tenant with roles, keys and people, and the grants pipeline on it, with a clock that stands until it is moved. */
import { openStand, random, type Stand } from '../../sim/grants/stand.ts';
import type { Ids } from '../../src/core/ports.ts';
import type {
  AwardSource,
  FeedSource,
  Organization,
  Pipeline,
} from '../../src/grants/pipeline/contracts.ts';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import type { RoleName } from '../../src/postgres/role-rights.ts';
import { rolesState } from '../../src/postgres/roles.ts';
import { databaseWithRoles, type FreshDatabase } from '../fixtures/database.ts';

export { random };
export const INSTANCE = 'grants.example.org';
export const ACTOR = { kind: 'system', id: 'test' } as const;
export const NOWHERE: Organization = { states: [], fiscalYearEnd: '12-31' };
const UNDO = new Error('undo');

export interface GrantsWorld extends Stand {
  readonly pipeline: Pipeline;
  readonly ids: Ids;
  readonly schema: string;
  rows(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  count(table: string, where?: string): Promise<number>;
  /** One statement in a role, undone in any case. */
  attempt(role: RoleName, text: string): Promise<number>;
}

export async function grantsWorld(
  database?: FreshDatabase,
  tenant = 'charity',
): Promise<GrantsWorld> {
  const fresh = database ?? (await databaseWithRoles());
  const { schema } = fresh;
  const stand = await openStand(fresh, {
    tenant,
    instance: INSTANCE,
    // After the year whose periods are closed here.
    startMs: Date.UTC(2027, 0, 5, 9),
    people: ['Ada', 'Ben'],
    random,
  });
  const { session, parts } = stand;
  const rows: GrantsWorld['rows'] = (text, values = []) => session.run({ name: '', text }, values);
  return {
    ...stand,
    pipeline: openPipeline(parts),
    ids: parts.ids,
    schema,
    rows,
    count: async (table, where = 'true') => {
      const [row] = await rows(`select count(*)::int as n from ${table} where ${where}`);
      return Number(row?.['n']);
    },
    attempt: async (role, text) => {
      const { prefix } = await rolesState(session);
      let found = 0;
      await session
        .transaction(async (run) => {
          await run({ name: '', text: `set local role ${prefix}_${role}` });
          found = (await run({ name: '', text })).length;
          throw UNDO;
        })
        .catch((error: unknown) => {
          if (error !== UNDO) throw error;
        });
      return found;
    },
    close: async () => {
      await session.close();
      if (database === undefined) await fresh.close();
    },
  };
}

export interface TestAward {
  readonly id?: string;
  readonly grantor?: string;
  readonly cents: number;
  readonly reference: string;
  readonly expected: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

export function awardJson(award: TestAward): Readonly<Record<string, unknown>> {
  return {
    grantor_id: award.grantor ?? 'G-1',
    ...(award.id !== undefined && { award_id: award.id }),
    award_amount: award.cents,
    currency: 'USD',
    fiscal_year: 2026,
    compliance_tags: { program: 'food' },
    payer: 'Harbor Foundation',
    reference: award.reference,
    expected_on: award.expected,
    federal_alignment: true,
    funder_type: 'foundation',
    ...award.more,
  };
}

export function textSource(
  name: string,
  text: string,
): { name: string; open(): AsyncIterable<Uint8Array> } {
  return {
    name,
    async *open() {
      yield Buffer.from(text);
    },
  };
}

export function awardsSource(awards: readonly unknown[], name = 'awards.ndjson'): AwardSource {
  const text = awards.map((award) => JSON.stringify(award)).join('\n');
  return { ...textSource(name, text), format: 'ndjson' };
}

export interface TestLine {
  readonly on: string;
  readonly cents: number;
  readonly reference?: string;
  readonly payer?: string;
}

/** MT940 with both balances: small, and its lines are easy to read. */
export function feedSource(statement: {
  readonly account?: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly openingCents: number;
  readonly lines: readonly TestLine[];
}): FeedSource {
  const compact = (day: string): string => day.slice(2).replaceAll('-', '');
  const money = (cents: number): string =>
    `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
  const closing = statement.openingCents + statement.lines.reduce((sum, one) => sum + one.cents, 0);
  const text = [
    ':20:STMT',
    `:25:${statement.account ?? '021000021/9876543210'}`,
    `:28C:${statement.number}/1`,
    `:60F:C${compact(statement.from)}USD${money(statement.openingCents)}`,
    ...statement.lines.flatMap(({ on, cents, reference, payer }, index) => [
      `:61:${compact(on)}${compact(on).slice(2)}C${money(cents)}NTRF${(reference ?? 'NONREF').slice(0, 16)}//B${statement.number}-${index + 1}`,
      `:86:${reference ?? 'PAYMENT'} ${payer ?? 'HARBOR FOUNDATION'}`,
    ]),
    `:62F:C${compact(statement.to)}USD${money(closing)}`,
    '-',
    '',
  ].join('\r\n');
  return { ...textSource(`statement-${statement.number}.sta`, text), format: 'mt940' };
}

export const ACCOUNT = '9876543210';
