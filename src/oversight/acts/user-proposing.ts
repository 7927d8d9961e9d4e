/** Proposals about people: what another administrator must approve first. */
import type { PersonActor } from '../../access/index.ts';
import { type PersonId, type ProposalTerms, userFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { recordFact } from '../../ledger/index.ts';
import { propose } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';

/** Nothing has happened yet. */
export interface Waiting {
  readonly state: 'waiting';
  readonly id: PersonId;
  readonly proposal: string;
  readonly sha256: string;
  /** The first of the two codes that make the key; for who proposed, to be given to that person alone. */
  readonly code: string | undefined;
}

interface AboutPerson {
  readonly kind: 'person' | 'role';
  readonly person: { readonly id: PersonId; readonly name: string };
  readonly terms: ProposalTerms & { readonly act: string };
  readonly reason: string;
  readonly code?: string;
}

export async function proposeAboutPerson(
  app: Filewright,
  run: Run,
  actor: PersonActor,
  { kind, person, terms, reason, code }: AboutPerson,
): Promise<Waiting> {
  const proposal = app.ids.next();
  const { sha256 } = await propose(run, app.tenant, {
    id: proposal,
    kind,
    subject: person.id,
    terms,
    reason,
    by: actor.id,
  });
  const fact = userFact(app, 'person.proposed', actor, {
    person: person.id,
    name: person.name,
    act: terms.act,
    sha256,
    ...('roles' in terms && { roles: terms['roles'] ?? [] }),
    ...('code_sha256' in terms && { code_sha256: terms['code_sha256'] ?? null }),
  });
  const subject = { kind: 'proposal', id: proposal, ver: 1 };
  await recordFact(run, { tenant: app.tenant, boundary: 'access' }, subject, fact);
  return { state: 'waiting', id: person.id, proposal, sha256, code };
}
