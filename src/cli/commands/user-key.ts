import type { Command } from '../command.ts';
import { addOwnKey, listUserKeys, replaceKey, revokeKey } from '../../oversight/index.ts';
import { keyData, keyText, tellWaiting } from '../key-answers.ts';
import { intoKeyFile } from '../key-file.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

const NO_KEY = { option: '--key-out', undone: 'no key was made' };

interface AddOptions {
  readonly keyOut?: string;
  readonly name: string;
  readonly days?: string;
  readonly for?: string;
  readonly reason?: string;
}

export function addKeyCommands(key: Command): void {
  key
    .command('add')
    .description('add a key of your own, or replace the lost key of another person')
    .option('--name <name>', 'what you call it', 'second')
    .option('--days <number>', 'days until it expires (default 365)')
    .option('--for <person>', 'replace the lost keys of this person; waits for approval')
    .option('--reason <text>', 'why; shown to the administrator who approves it')
    .option('--key-out <file>', 'write the key to a new file (mode 0600) instead of showing it')
    .inApp(async (context, own: AddOptions) => {
      const { app, out, actor } = context;
      const done = await intoKeyFile(own.keyOut, NO_KEY, async () => {
        const reason = own.reason === undefined ? {} : { reason: own.reason };
        const days = own.days === undefined ? {} : { days: Number(own.days) };
        const made =
          own.for === undefined
            ? await addOwnKey(app, actor, { name: own.name, ...days })
            : await replaceKey(app, actor, { name: own.for, ...reason });
        return { made, secret: made.state === 'issued' ? made.key : undefined };
      });
      if (done.state === 'waiting') {
        tellWaiting(context, 'user key add', own.for ?? '', done);
        return;
      }
      out.result('user key add', keyData({ id: done.id }, done.key, own.keyOut), () =>
        keyText('Added.', done.key, own.keyOut),
      );
    });

  key
    .command('list')
    .description('your keys; those of everyone for an administrator')
    .inApp(async ({ app, out, actor }) => {
      const keys = await listUserKeys(app, actor);
      out.result('user key list', { keys }, () =>
        table(
          ['key', 'person', 'name', 'since', 'expires', 'last used', 'revoked'],
          keys.map((k) => [
            k.id,
            k.personName,
            k.name,
            moment(k.createdAt),
            moment(k.expiresAt),
            moment(k.lastUsedAt),
            moment(k.revokedAt),
          ]),
        ),
      );
    });

  key
    .command('revoke <key>')
    .description('revoke a key at once, by its id in user key list')
    .inApp(async ({ app, out, actor }, id: string) => {
      await revokeKey(app, actor, id);
      out.result('user key revoke', { id }, () => `Revoked ${id}.`);
    });
}
