import type { Command } from '../command.ts';
import { listSignIns, revokeSignIn } from '../../people/index.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

export function addCommands(session: Command): void {
  session
    .command('list')
    .description('your sessions at the service; those of everyone for an administrator')
    .option('--all', 'those that are over too')
    .inApp(async ({ app, out, actor }, own: { all?: true }) => {
      const sessions = await listSignIns(app, actor, { all: own.all === true });
      out.result('session list', { sessions }, () =>
        table(
          ['session', 'person', 'signed in', 'with', 'last used', 'expires', 'state'],
          sessions.map((s) => [
            s.id,
            s.personName,
            moment(s.startedAt),
            s.way,
            moment(s.lastUsedAt),
            moment(s.expiresAt),
            s.isOpen ? 'open' : 'over',
          ]),
        ),
      );
    });

  session
    .command('revoke <session>')
    .description('end a session at once, by its id in session list')
    .inApp(async ({ app, out, actor }, id: string) => {
      await revokeSignIn(app, actor, id);
      out.result('session revoke', { id }, () => `Ended ${id}.`);
    });
}
