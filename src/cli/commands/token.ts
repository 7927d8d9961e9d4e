import type { Command } from '../command.ts';
import { toRfc3339, instant } from '../../core/index.ts';
import { listProgramTokens, makeToken, revokeProgramToken } from '../../people/index.ts';
import { intoKeyFile } from '../key-file.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

interface AddOptions {
  readonly act: readonly string[];
  readonly days?: string;
  readonly tokenOut?: string;
}

export function addCommands(token: Command): void {
  token
    .command('add <name>')
    .description('make a token with which another program acts for you, in the acts that you name')
    .requiredOption('--act <acts...>', 'for example batch.import filing.list')
    .option('--days <number>', 'days until it expires (default 90)')
    .option('--token-out <file>', 'write the token to a new file (mode 0600) instead of showing it')
    .inApp(async ({ app, out, actor }, name: string, own: AddOptions) => {
      const where = { option: '--token-out', undone: 'no token was made' };
      const {
        id,
        token: secret,
        expiresAt,
      } = await intoKeyFile(own.tokenOut, where, async () => {
        const days = own.days === undefined ? {} : { days: Number(own.days) };
        const made = await makeToken(app, actor, { name, acts: own.act, ...days });
        return { made, secret: made.token };
      });
      const shown = own.tokenOut === undefined ? { token: secret } : { tokenOut: own.tokenOut };
      const until = toRfc3339(instant(expiresAt));
      out.result('token add', { id, name, acts: own.act, expiresAt: until, ...shown }, () =>
        [
          `Made the token "${name}", good until ${moment(expiresAt)}.`,
          own.tokenOut === undefined
            ? `It is shown once: ${secret}`
            : `It is in ${own.tokenOut}, readable only by you.`,
        ].join('\n'),
      );
    });

  token
    .command('list')
    .description('your tokens; those of everyone for an administrator')
    .inApp(async ({ app, out, actor }) => {
      const tokens = await listProgramTokens(app, actor);
      out.result('token list', { tokens }, () =>
        table(
          ['token', 'name', 'acts for', 'in', 'expires', 'last used', 'revoked'],
          tokens.map((t) => [
            t.id,
            t.name,
            t.ownerName,
            t.acts.join(' '),
            moment(t.expiresAt),
            moment(t.lastUsedAt),
            moment(t.revokedAt),
          ]),
        ),
      );
    });

  token
    .command('revoke <token>')
    .description('revoke a token at once, by its id in token list')
    .inApp(async ({ app, out, actor }, id: string) => {
      await revokeProgramToken(app, actor, id);
      out.result('token revoke', { id }, () => `Revoked ${id}.`);
    });
}
