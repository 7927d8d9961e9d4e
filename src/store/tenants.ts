/** A tenant and its key: wrapped by the root key, made on first use, never replaced in silence. */
import { FilewrightError } from '../core/index.ts';
import { unwrapKey, wrapKey } from '../ledger/index.ts';
import { bytes, text } from './rows.ts';
import type { Session, Statement } from './session.ts';

const ENSURE: Statement = {
  name: 'tenant-ensure',
  text: 'insert into tenant (id, instance) values ($1, $2) on conflict do nothing',
};

const FIND: Statement = {
  name: 'tenant-find',
  text: `select t.instance, k.id as key_id, k.wrapped from tenant t left join ledger_tenant_key k on k.tenant = t.id
    where t.id = $1 order by k.created_at limit 1`,
};

const ADD_KEY: Statement = {
  name: 'tenant-add-key',
  text: `insert into ledger_tenant_key (tenant, id, wrapped)
    select $1, $2, $3 where not exists (select 1 from ledger_tenant_key where tenant = $1)`,
};

export interface Tenant {
  readonly id: string;
  readonly instance: string;
  readonly key: Uint8Array;
}

export async function openTenant(
  session: Session,
  input: {
    readonly id: string;
    readonly instance: string;
    /** Undefined when there is no root key yet; then one may be made, but only for a tenant that has no key. */
    readonly rootKey: () => Uint8Array;
    readonly random: (count: number) => Uint8Array;
  },
): Promise<Tenant> {
  await session.run(ENSURE, [input.id, input.instance]);
  const [found] = await session.run(FIND, [input.id]);
  const rootKey = input.rootKey();
  if (found?.['wrapped'] === null) {
    const keyId = `t-${input.id}-1`;
    const wrapped = wrapKey({
      wrapping: rootKey,
      key: input.random(32),
      context: `tenant/${keyId}`,
      random: input.random,
    });
    // Several processes may do this at once; the first row wins, and everybody reads it back.
    await session.transaction(async (run) => {
      await run({ name: '', text: 'lock table ledger_tenant_key in exclusive mode' });
      await run(ADD_KEY, [input.id, keyId, wrapped]);
    });
  }
  const [row] = await session.run(FIND, [input.id]);
  try {
    const key = unwrapKey({
      wrapping: rootKey,
      blob: bytes(row?.['wrapped']),
      context: `tenant/${text(row?.['key_id'])}`,
    });
    return { id: input.id, instance: text(row?.['instance']), key };
  } catch (error) {
    throw new FilewrightError(
      'ROOT_KEY_MISSING',
      'The root key is not the one that this database was made with',
      {
        cause: error,
      },
    );
  }
}

/** Whether sealed data exists that a new root key could never open. */
export async function hasTenantKey(session: Session): Promise<boolean> {
  const rows = await session.run({ name: '', text: 'select 1 from ledger_tenant_key limit 1' });
  return rows.length > 0;
}
