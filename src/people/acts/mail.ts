/** Where mail goes: the server it goes out through, and who gets it. Additions are proposals; removal is one person's. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  misuse,
  notFound,
  type ProposalTerms,
  sha256Of,
  termText,
  userFact,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Run } from '../../postgres/index.ts';
import { type Environment, isReference, readReference } from '../../wire/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChange,
  refuseChange,
} from '../changes.ts';
import { checkMailAddress, parseMailbox } from '../notify/mail-address.ts';
import { mailHost, readMailUrl } from '../notify/mail.ts';
import { placed } from '../placed.ts';
import { raiseTrustAlert } from '../trust-alerts.ts';
import {
  changeRecipient,
  type MailSetting,
  type Recipient,
  RECIPIENT_ROLES,
  setMail,
} from '../store/subscriptions.ts';

/** The reference is read once, so that a wrong one is refused now and not in the night. */
export async function setMailServer(
  app: Installation,
  actor: Actor,
  setting: MailSetting,
  environment: Environment,
  reason?: string,
): Promise<{ readonly sha256: string }> {
  allow(actor, 'mail.set');
  if (!isReference(setting.smtp)) {
    throw misuse(
      '--smtp: expected a reference (env:NAME or file:/path) to an address like smtp://user:password@host:587',
    );
  }
  parseMailbox(setting.sender);
  const { host, port } = readMailUrl(
    await readReference(setting.smtp, placed(app, environment), mailHost),
  );
  const server = `${host}:${port}`;
  const { smtp, sender, allowPrivateAddresses: allow_private } = setting;
  return proposeChange(app, actor, {
    kind: 'recipient',
    subject: MAIL_SERVER,
    terms: { smtp, sender, allow_private, server },
    reason: reason ?? `send mail through ${server}`,
    shown: { host: server },
  });
}

/** The mail server, or a recipient: those that wait for a second person. */
export async function proposedMail(
  app: Installation,
  actor: Actor,
): Promise<readonly ChangeView[]> {
  allow(actor, 'mail.proposals');
  return openChanges(app, 'recipient');
}

/** `subject`: as the proposals are listed. */
export async function approveMail(
  app: Installation,
  actor: Actor,
  input: { readonly subject: string; readonly expectHash: string },
): Promise<void> {
  allow(actor, 'mail.decide');
  const { subject, expectHash } = input;
  const isServer = subject === MAIL_SERVER;
  await approveChange(app, actor, {
    kind: 'recipient',
    subject,
    expectHash,
    make: async (run, { terms }) => {
      if (isServer) return setProposedServer(run, app, actor, terms);
      const recipient = recipientIn(terms);
      const { role, entityId } = recipient;
      const data = { role, entity_id: entityId ?? null };
      const fact = userFact(app, 'recipient.added', actor, data);
      return changeRecipient(run, app.tenant, recipient, { kind: 'add', fact });
    },
    event: ({ terms }) =>
      isServer
        ? {
            kind: 'mail_server_changed',
            subject: MAIL_SERVER,
            did: `approved that mail goes out through ${termText(terms, 'server')}`,
          }
        : {
            kind: 'recipient_changed',
            subject: recipientIn(terms).role,
            did: `approved ${recipientIn(terms).address} as a recipient for ${recipientIn(terms).role}`,
          },
  });
}

async function setProposedServer(
  run: Run,
  app: Installation,
  actor: PersonActor,
  terms: ProposalTerms,
): Promise<void> {
  const setting = {
    smtp: termText(terms, 'smtp'),
    sender: termText(terms, 'sender'),
    allowPrivateAddresses: terms['allow_private'] === true,
  };
  const data = {
    smtp: setting.smtp,
    server: termText(terms, 'server'),
    sender: setting.sender,
    allow_private: setting.allowPrivateAddresses,
  };
  await setMail(run, app.tenant, setting, userFact(app, 'mail.set', actor, data));
}

export async function refuseMail(
  app: Installation,
  actor: Actor,
  input: { readonly subject: string; readonly reason: string },
): Promise<void> {
  allow(actor, 'mail.decide');
  await refuseChange(app, actor, { kind: 'recipient', ...input });
}

const MAIL_SERVER = 'mail server';

/** The proposals of recipients were written below, from one. */
function recipientIn(terms: ProposalTerms): Recipient {
  const role = RECIPIENT_ROLES.find((name) => name === terms['role']);
  if (role === undefined) throw notFound('The proposal names no role');
  const entityId = terms['entity_id'];
  return {
    role,
    entityId: typeof entityId === 'string' ? entityId : undefined,
    address: termText(terms, 'address'),
  };
}

export async function changeRecipientOf(
  app: Installation,
  actor: Actor,
  input: { readonly role: string; readonly entityId: string | undefined; readonly address: string },
  kind: 'add' | 'remove',
): Promise<
  Recipient & { readonly proposal?: { readonly subject: string; readonly sha256: string } }
> {
  allow(actor, 'mail.recipient');
  const role = RECIPIENT_ROLES.find((name) => name === input.role);
  if (role === undefined) {
    const known = RECIPIENT_ROLES.join(', ');
    throw misuse(`Expected a role (${known}), found "${input.role}"`);
  }
  if (input.entityId !== undefined && role !== 'registered_agent') {
    throw misuse(`--entity goes with registered_agent, not with ${role}`);
  }
  const recipient = { role, entityId: input.entityId, address: checkMailAddress(input.address) };
  const { entityId, address } = recipient;
  const named = { role, entity_id: entityId ?? null };
  if (kind === 'add') {
    // The address may be somebody's own, so the ledger has only its hash.
    const subject = `${role} ${sha256Of(`${role}/${entityId ?? ''}/${address}`).slice(0, 16)}`;
    const { sha256 } = await proposeChange(app, actor, {
      kind: 'recipient',
      subject,
      terms: { ...named, address },
      reason: `mail for ${role} to another address`,
    });
    return { ...recipient, proposal: { subject, sha256 } };
  }
  const fact = userFact(app, 'recipient.removed', actor, named);
  await app.session.transaction(async (run) => {
    await changeRecipient(run, app.tenant, recipient, { kind, fact });
    // One person is enough to silence; the others hear of it where they look.
    const did = `removed ${address} as a recipient for ${role}`;
    await raiseTrustAlert(run, app, actor, { kind: 'recipient_changed', subject: role, did });
  });
  await app.sequencer.sequence();
  return recipient;
}
