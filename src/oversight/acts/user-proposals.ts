/** What is proposed about people, and the other administrator's decision. */
import { type Actor, allow, isRole, type PersonActor, type Role } from '../../access/index.ts';
import {
  FilewrightError,
  invariant,
  type LedgerFact,
  notFound,
  type PersonId,
  personId,
  readPersonName,
  userFact,
} from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { partiesOf, recordFact } from '../../ledger/index.ts';
import {
  addEnrollment,
  addPerson,
  decideProposal,
  enablePerson,
  giveRoles,
  listKeys,
  listPeople,
  lockPeople,
  proposals,
  raiseTrustAlert,
  recordOfPerson,
  revokeKeys,
  type StoredProposal,
  takeRoles,
  type TrustEvent,
} from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { makeCode } from './user-secrets.ts';
import { roleFact, roleWords } from './users.ts';

const KINDS = ['person', 'role'] as const;

interface PersonProposal {
  readonly id: string;
  readonly act: string;
  readonly person: PersonId;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: number;
  readonly state: StoredProposal['state'];
  readonly sha256: string;
}

/** Those that wait; with `all`, decided ones too. */
export async function userProposals(
  app: Filewright,
  actor: Actor,
  options: { readonly all: boolean },
): Promise<readonly PersonProposal[]> {
  allow(actor, 'user.proposals');
  const names = new Map((await listPeople(app.session, app.tenant)).map((p) => [p.id, p.name]));
  const found = await proposals(app.session.run.bind(app.session), app.tenant, KINDS);
  return found
    .filter(({ state }) => options.all || state === 'open')
    .map((proposal) => ({
      ...proposal,
      ...termsOf(proposal),
      person: personId(proposal.subject),
      proposedBy: names.get(proposal.proposedBy) ?? proposal.proposedBy,
    }));
}

interface Approved {
  readonly act: string;
  readonly name: string;
  /** The second of the two codes that make the key; to be given to that person alone. */
  readonly code: string | undefined;
}

/** `sha256` is what the administrator saw: an approval of anything else is none. */
export async function approveUser(
  app: Filewright,
  actor: Actor,
  input: { readonly id: string; readonly sha256: string },
): Promise<Approved> {
  allow(actor, 'user.approve', input.id);
  const done = await app.session.transaction(async (run) => {
    await lockPeople(run);
    const proposal = await openProposal(app, run, input.id);
    const parties = await partiesOf(run, app.tenant, [proposal.proposedBy]);
    const proposedBy = personId(parties.get(proposal.proposedBy) ?? actor.party);
    const changes = proposal.kind === 'role' ? { changes: personId(proposal.subject) } : {};
    allow(actor, 'user.approve', { what: input.id, proposedBy, ...changes });
    const about = {
      kinds: [proposal.kind],
      subject: proposal.subject,
      what: `Proposal ${input.id}`,
    };
    if (input.sha256.toLowerCase() !== proposal.sha256) {
      throw new FilewrightError(
        'HASH_DIFFERS',
        `--hash is not the hash of proposal ${input.id} (${proposal.sha256})`,
      );
    }
    await decideProposal(run, app.tenant, about, {
      approves: true,
      by: actor.id,
      sha256: proposal.sha256,
    });
    const { act, name } = termsOf(proposal);
    const second = act === 'add' || act === 'key' ? makeCode(app) : undefined;
    const data = { ...told(proposal), ...(second && { code_sha256: second.sha256 }) };
    await recordDecision(app, run, proposal, userFact(app, 'person.approved', actor, data));
    await carryOut(app, run, actor, proposal);
    if (second !== undefined) await enroll(app, run, proposal, second.sha256);
    await raiseTrustAlert(run, app, actor, eventOf(proposal));
    return { act, name, code: second?.code };
  });
  await app.sequencer.sequence();
  return done;
}

/** What the others hear of an approval. */
function eventOf(proposal: StoredProposal): TrustEvent {
  const { subject } = proposal;
  const { act, name, roles } = termsOf(proposal);
  switch (act) {
    case 'add':
      return { kind: 'person_changed', subject, did: `approved that ${name} is added` };
    case 'enable':
      return { kind: 'person_changed', subject, did: `approved that ${name} is enabled again` };
    case 'key':
      return {
        kind: 'key_changed',
        subject,
        did: `approved that the keys of ${name} are replaced`,
      };
    case 'give':
    case 'take':
      return { kind: 'role_changed', subject, did: roleWords(name, act, roles) };
  }
}

/** Whoever proposed takes it back by this; anybody else refuses it. */
export async function refuseUser(
  app: Filewright,
  actor: Actor,
  input: { readonly id: string; readonly reason: string },
): Promise<void> {
  allow(actor, 'user.refuse', input.id);
  await app.session.transaction(async (run) => {
    const proposal = await openProposal(app, run, input.id);
    const about = {
      kinds: [proposal.kind],
      subject: proposal.subject,
      what: `Proposal ${input.id}`,
    };
    const { reason } = input;
    await decideProposal(run, app.tenant, about, { approves: false, by: actor.id, reason });
    await recordDecision(
      app,
      run,
      proposal,
      userFact(app, 'person.refused', actor, told(proposal)),
    );
  });
  await app.sequencer.sequence();
}

/** What two parties have agreed to. */
async function carryOut(
  app: Filewright,
  run: Run,
  actor: PersonActor,
  proposal: StoredProposal,
): Promise<void> {
  const { tenant } = app;
  const id = personId(proposal.subject);
  const { act, name, roles } = termsOf(proposal);
  const agreed = { proposal: proposal.id };
  const change = { person: id, roles, by: actor.id, ...agreed };
  switch (act) {
    case 'add': {
      // Read again: what was stored may come from an older version.
      const named = readPersonName(name);
      const data = { ...named, party: id, roles: [...roles], ...agreed };
      const fact = userFact(app, 'person.added', actor, data);
      const person = { id, ...named, party: id, roles, by: actor.id, ...agreed };
      await addPerson(run, tenant, person, fact);
      return;
    }
    case 'key': {
      const old = (await listKeys(run, tenant, id)).map((key) => key.id);
      for (const key of await revokeKeys(run, tenant, old, actor.id)) {
        const data = { key: key.id, name: key.name, key_sha256: key.sha256 };
        await recordOfPerson(run, tenant, id, userFact(app, 'key.revoked', actor, data));
      }
      return;
    }
    case 'enable':
      await enablePerson(
        run,
        tenant,
        id,
        userFact(app, 'person.enabled', actor, { name, ...agreed }),
      );
      return;
    case 'give':
    case 'take': {
      // Since it was proposed, some of it may have happened; the entry says what happens now.
      const changed = await (act === 'give' ? giveRoles : takeRoles)(run, tenant, change);
      if (changed.length === 0) return;
      await recordOfPerson(run, tenant, id, roleFact(app, actor, act, changed, proposal.id));
    }
  }
}

/** `second` is the hash of the code that the approving administrator hands on. */
async function enroll(
  app: Filewright,
  run: Run,
  proposal: StoredProposal,
  second: string,
): Promise<void> {
  const first = proposal.terms['code_sha256'];
  invariant(typeof first === 'string', 'a key comes of a proposal with a code', {
    proposal: proposal.id,
  });
  const person = personId(proposal.subject);
  await addEnrollment(run, app.tenant, { proposal: proposal.id, person, first, second });
}

async function openProposal(app: Filewright, run: Run, id: string): Promise<StoredProposal> {
  const found = (await proposals(run, app.tenant, KINDS)).find((one) => one.id === id);
  if (found?.state === 'open') return found;
  throw notFound(`No open proposal about people has the id ${id}; see user proposals`);
}

async function recordDecision(
  app: Filewright,
  run: Run,
  { id }: StoredProposal,
  fact: LedgerFact,
): Promise<void> {
  const subject = { kind: 'proposal', id, ver: 2 };
  await recordFact(run, { tenant: app.tenant, boundary: 'access' }, subject, fact);
}

function told(proposal: StoredProposal): LedgerFact['data'] {
  const { act, name, roles } = termsOf(proposal);
  const { subject, sha256, proposedBy } = proposal;
  return { person: subject, name, act, roles: [...roles], sha256, proposed_by: proposedBy };
}

const ACTS = ['add', 'enable', 'key', 'give', 'take'] as const;

function termsOf({ terms, id }: StoredProposal): {
  readonly act: (typeof ACTS)[number];
  readonly name: string;
  readonly roles: readonly Role[];
} {
  const act = ACTS.find((one) => one === terms['act']);
  const { name, roles = [] } = terms;
  invariant(
    act !== undefined && typeof name === 'string' && Array.isArray(roles),
    'its terms are ours',
    {
      proposal: id,
    },
  );
  return { act, name, roles: roles.map(String).filter(isRole) };
}
