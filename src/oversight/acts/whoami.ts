/** Who acts here, and as what. */
import { type Actor, allow, type Role } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { listPeople } from '../../people/index.ts';

interface Whoami {
  readonly kind: Actor['kind'];
  readonly name: string;
  readonly id: string | undefined;
  readonly roles: readonly Role[];
  /** The others who count as one person with this one. */
  readonly countsWith: readonly string[];
  readonly tenant: string;
}

export async function whoami(app: Filewright, actor: Actor): Promise<Whoami> {
  allow(actor, 'user.whoami');
  const { kind, name } = actor;
  const { tenant } = app;
  if (actor.kind !== 'person') {
    return { kind, name, id: undefined, roles: [], countsWith: [], tenant };
  }
  const { id, party, roles } = actor;
  const people = await listPeople(app.session, tenant);
  const countsWith = people.filter((one) => one.party === party && one.id !== id);
  return { kind, name, id, roles, countsWith: countsWith.map((one) => one.name), tenant };
}
