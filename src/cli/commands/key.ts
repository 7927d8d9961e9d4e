import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import {
  approveKeyRotation,
  listKeys,
  proposeKeyRotation,
  rotateSigningKeys,
  type TwoPersonLevel,
} from '../../oversight/index.ts';
import { readBoundary } from '../../ledger/index.ts';
import { environment } from '../context.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

const DAY_MS = 86_400_000;

export function addCommands(key: Command): void {
  key
    .command('list')
    .description('list every key with its id and age; keys themselves are never shown')
    .inApp(async ({ app, out, actor }) => {
      const now = app.clock.now();
      const keys = (await listKeys(app, actor, environment)).map((row) => ({
        ...row,
        days: row.since === undefined ? null : Math.floor((now - row.since) / DAY_MS),
      }));
      out.result('key list', { keys }, () =>
        table(
          ['level', 'id', 'since', 'days', 'state', 'holds'],
          keys.map((row) => [
            row.level,
            row.id,
            moment(row.since),
            row.days ?? '-',
            row.state,
            row.holds,
          ]),
        ),
      );
    });

  key
    .command('rotate <level>')
    .description(
      'replace a key: root or tenant (proposes it; a second person approves with key approve), or signing. Also finishes a rotation that was interrupted',
    )
    .option('--reason <text>', 'why; required for root and tenant')
    .option('--log <name>', 'with signing: one log (default: all)')
    .inApp(async ({ app, out, actor }, level: string, own: { reason?: string; log?: string }) => {
      if (level === 'signing') {
        const only = own.log === undefined ? undefined : readBoundary(own.log);
        const logs = await rotateSigningKeys(app, actor, only);
        out.result('key rotate', { level, logs }, () =>
          [
            table(
              ['log', 'state', 'new verification key'],
              logs.map((log) => [log.log, log.state, log.vkey]),
            ),
            'Send the new keys to your auditor and your witnesses, separately from any export.',
          ].join('\n'),
        );
        return;
      }
      const request = { level: readLevel(level), reason: own.reason ?? '', environment };
      const made = await proposeKeyRotation(app, actor, request);
      out.result('key rotate', made, () =>
        'finished' in made
          ? 'The interrupted rotation of the root key is finished. Confirm a backup of the new key: doctor --root-key-backup FILE.'
          : `Proposed: replace the ${made.level} key ${made.key}. A second person runs: key approve ${made.level} --hash ${made.hash}`,
      );
    });

  key
    .command('approve <level>')
    .description('approve the rotation that another person proposed, by its hash, and run it')
    .requiredOption('--hash <sha256>', 'as shown by key rotate')
    .inApp(async ({ app, out, actor }, level: string, own: { hash: string }) => {
      const request = { level: readLevel(level), hash: own.hash, environment };
      const done = await approveKeyRotation(app, actor, request);
      out.result('key approve', done, () =>
        done.level === 'root'
          ? 'The root key is replaced. Confirm a backup of the new one: doctor --root-key-backup FILE. The former key is kept beside it, for older backups of the database.'
          : `The tenant key is replaced; ${done.wrapped} keys are wrapped under the new one. Processes that run have noticed, or will when they next read a key.`,
      );
    });
}

function readLevel(level: string): TwoPersonLevel {
  if (level === 'root' || level === 'tenant') return level;
  throw misuse(`Expected root, tenant or signing, found "${level}"`);
}
