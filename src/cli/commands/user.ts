import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { isRole, type Role, ROLES } from '../../access/index.ts';
import {
  addUser,
  approveUser,
  changeRoles,
  disableUser,
  enableUser,
  enrollUser,
  foundUser,
  listUsers,
  refuseUser,
  userProposals,
} from '../../oversight/index.ts';
import { instant, misuse, toRfc3339 } from '../../core/index.ts';
import { makeLink } from '../../people/index.ts';
import { keyData, keyText, tellWaiting } from '../key-answers.ts';
import { intoKeyFile } from '../key-file.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';
import { addKeyCommands } from './user-key.ts';

const NOBODY_ADDED = { option: '--key-out', undone: 'no person was added' };
const KEY_OUT = [
  '--key-out <file>',
  'write the key to a new file (mode 0600) instead of showing it',
] as const;
const REASON = ['--reason <text>', 'why; shown to the administrator who approves it'] as const;

export function addCommands(user: Command): void {
  user
    .command('add <name>')
    .description(
      'add a person; the first two need no key and get all roles, everyone else waits for approval by another administrator',
    )
    .option(...KEY_OUT)
    .option('--role <roles...>', `${ROLES.join(', ')}, or all (default viewer)`)
    .option(...REASON)
    .inApp(async (context, name: string, own: AddOptions) => {
      await (context.actor.kind === 'operator'
        ? found(context, name, own)
        : add(context, name, own));
    });

  user
    .command('enroll <name>')
    .description('make your first key from the two codes that two administrators gave you')
    .requiredOption('--code <codes...>', 'both codes')
    .option(...KEY_OUT)
    .inApp(async ({ app, out, actor }, name: string, own: { code: string[]; keyOut?: string }) => {
      const where = { option: '--key-out', undone: 'no key was made' };
      const { id, key } = await intoKeyFile(own.keyOut, where, async () => {
        const made = await enrollUser(app, actor, { name, codes: own.code });
        return { made, secret: made.key };
      });
      out.result('user enroll', keyData({ id, name }, key, own.keyOut), () =>
        keyText(`${name} is enrolled.`, key, own.keyOut),
      );
    });

  user
    .command('list')
    .description('list all people, including disabled ones')
    .inApp(async ({ app, out, actor }) => {
      const people = await listUsers(app, actor);
      const names = new Map(people.map(({ id, name }) => [id, name]));
      out.result('user list', { people }, () =>
        table(
          ['name', 'id', 'since', 'disabled', 'counts with', 'roles'],
          people.map((p) => [
            p.name,
            p.id,
            moment(p.createdAt),
            moment(p.disabledAt),
            p.party === p.id ? '' : (names.get(p.party) ?? p.party),
            p.roles.length === ROLES.length ? 'all' : p.roles.join(' '),
          ]),
        ),
      );
    });

  addLink(user);
  addChanges(user);
  addProposals(user);
  addKeyCommands(user.command('key').description('personal keys: several for each person'));
}

function addLink(user: Command): void {
  user
    .command('link [name]')
    .description(
      'make a link that signs you in to the service once, within ten minutes; with a name, someone who counts as the same person',
    )
    .option('--link-out <file>', 'write the link to a new file (mode 0600) instead of showing it')
    .inApp(async ({ app, out, actor }, name: string | undefined, own: { linkOut?: string }) => {
      const where = { option: '--link-out', undone: 'no link was made' };
      const made = await intoKeyFile(own.linkOut, where, async () => {
        const link = await makeLink(app, actor, name);
        return { made: link, secret: link.link };
      });
      const shown = own.linkOut === undefined ? { link: made.link } : { linkOut: own.linkOut };
      const data = { name: made.name, expiresAt: toRfc3339(instant(made.expiresAt)), ...shown };
      out.result('user link', data, () =>
        [
          `This signs ${made.name} in, once, until ${moment(made.expiresAt)}:`,
          own.linkOut ?? made.link,
        ].join('\n'),
      );
    });
}

function addChanges(user: Command): void {
  user
    .command('disable <name>')
    .description('disable a person and all their keys, at once')
    .inApp(async ({ app, out, actor }, name: string) => {
      await disableUser(app, actor, name);
      out.result('user disable', { name }, () => `Disabled ${name}.`);
    });

  user
    .command('enable <name>')
    .description('enable a disabled person again; waits for approval by another administrator')
    .option(...REASON)
    .inApp(async (context, name: string, own: { reason?: string }) => {
      const done = await enableUser(context.app, context.actor, { name, ...own });
      if (done.state === 'waiting') tellWaiting(context, 'user enable', name, done);
      else context.out.result('user enable', { name, ...done }, () => `Enabled ${name}.`);
    });

  user
    .command('role <give-or-take> <name> <roles...>')
    .description('give or take roles; waits for approval by another administrator')
    .option(...REASON)
    .inApp(
      async (context, act: string, name: string, roles: string[], own: { reason?: string }) => {
        if (act !== 'give' && act !== 'take') throw misuse('Expected give or take');
        const change = { act, name, roles: readRoles(roles), ...own } as const;
        const done = await changeRoles(context.app, context.actor, change);
        if (done.state === 'waiting') tellWaiting(context, 'user role', name, done);
        else context.out.result('user role', { ...change }, () => `Changed the roles of ${name}.`);
      },
    );
}

function addProposals(user: Command): void {
  user
    .command('proposals')
    .description('proposals about people that await approval by another administrator')
    .option('--all', 'decided ones too')
    .inApp(async ({ app, out, actor }, own: { all?: true }) => {
      const proposals = await userProposals(app, actor, { all: own.all === true });
      out.result('user proposals', { proposals }, () =>
        table(
          ['proposal', 'what', 'person', 'roles', 'proposed by', 'state', 'hash'],
          proposals.map((p) => [
            p.id,
            p.act,
            p.name,
            p.roles.join(' '),
            p.proposedBy,
            p.state,
            p.sha256,
          ]),
        ),
      );
    });

  user
    .command('approve <proposal>')
    .description('approve a proposal about a person as another administrator')
    .requiredOption('--hash <hash>', 'the hash that user proposals shows')
    .option('--code-out <file>', 'write the code to a new file (mode 0600) instead of showing it')
    .inApp(async ({ app, out, actor }, id: string, own: { hash: string; codeOut?: string }) => {
      const where = { option: '--code-out', undone: 'nothing was approved' };
      const { code, ...done } = await intoKeyFile(own.codeOut, where, async () => {
        const made = await approveUser(app, actor, { id, sha256: own.hash });
        return { made, secret: made.code };
      });
      const data = { id, ...done, ...(own.codeOut === undefined ? { code } : own) };
      out.result('user approve', data, () =>
        code === undefined
          ? `Approved for ${done.name}.`
          : `Approved. Give this code to ${done.name}, and to no one else; with the code of the person who proposed it, user enroll makes the key:\n${own.codeOut ?? code}`,
      );
    });

  user
    .command('refuse <proposal>')
    .description('refuse a proposal about a person, or withdraw your own')
    .requiredOption('--reason <text>', 'why, 10 to 500 characters')
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string }) => {
      await refuseUser(app, actor, { id, reason: own.reason });
      out.result('user refuse', { id }, () => `Proposal ${id} has ended.`);
    });
}

interface AddOptions {
  readonly keyOut?: string;
  readonly role?: readonly string[];
  readonly reason?: string;
}

async function found({ app, out, actor }: Context, name: string, own: AddOptions): Promise<void> {
  const { id, key } = await intoKeyFile(own.keyOut, NOBODY_ADDED, async () => {
    const made = await foundUser(app, actor, name);
    return { made, secret: made.key };
  });
  out.result('user add', keyData({ id, name }, key, own.keyOut), () =>
    keyText(`Added ${name}.`, key, own.keyOut),
  );
}

async function add(context: Context, name: string, own: AddOptions): Promise<void> {
  const { app, out, actor } = context;
  const roles = readRoles(own.role ?? ['viewer']);
  const reason = own.reason === undefined ? {} : { reason: own.reason };
  const done = await intoKeyFile(own.keyOut, NOBODY_ADDED, async () => {
    const made = await addUser(app, actor, { name, roles, ...reason });
    return { made, secret: made.state === 'added' ? made.key : undefined };
  });
  if (done.state === 'waiting') {
    tellWaiting(context, 'user add', name, done);
    return;
  }
  const { id, key, party } = done;
  out.result('user add', { ...keyData({ id, name }, key, own.keyOut), party }, () =>
    [
      keyText(`Added ${name}.`, key, own.keyOut),
      `You added ${name} alone, because there is no other administrator: the two of you count as one person, and neither can approve what the other proposed.`,
    ].join('\n'),
  );
}

function readRoles(words: readonly string[]): readonly Role[] {
  if (words.includes('all')) return ROLES;
  const strange = words.find((word) => !isRole(word));
  if (strange === undefined) return [...new Set(words.filter(isRole))];
  throw misuse(`Expected a role (${ROLES.join(', ')}, or all), found ${JSON.stringify(strange)}`);
}
