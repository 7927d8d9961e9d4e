import type { Command } from '../command.ts';
import { holdData, releaseData, retentionStatus, runRetention } from '../../oversight/index.ts';
import { misuse } from '../../core/index.ts';
import { checkUuid } from '../arguments.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

const BACKUP_DAYS_MAX = 3_650;

export function addCommands(retention: Command): void {
  addStatus(retention);
  addRun(retention);
  addHold(retention);
  addRelease(retention);
}

function addStatus(retention: Command): void {
  retention
    .command('status')
    .description('data keys that are due or held, and every legal hold')
    .inApp(async ({ app, out, actor }) => {
      const status = await retentionStatus(app, actor);
      const { keys, holds } = status;
      out.result('retention status', status, () =>
        [
          `${keys.live} data keys in use, ${keys.shredded} destroyed; ${keys.due} are past their date, ${keys.held} more are held.`,
          `The next are kept until ${keys.next ?? '-'}.`,
          table(
            ['hold', 'whose data', 'placed', 'reason'],
            holds.map((hold) => [
              hold.id,
              hold.subject ?? 'everything',
              moment(hold.placedAt),
              hold.reason,
            ]),
          ),
        ].join('\n'),
      );
    });
}

function addRun(retention: Command): void {
  retention
    .command('run')
    .description(
      'destroy the keys of sealed data that is past its date and not on hold; cannot be undone',
    )
    .option('--dry-run', 'only count the keys that are due')
    .option('--backup-days <n>', 'days until backups that hold these keys expire; recorded', '35')
    .inApp(async ({ app, out, actor }, own: { dryRun?: boolean; backupDays: string }) => {
      const run = await runRetention(app, actor, {
        dryRun: own.dryRun === true,
        backupDays: readDays(own.backupDays),
      });
      out.result('retention run', run, () =>
        run.isDryRun
          ? `${run.keys} data keys are past their date; ${run.held} more are held. Those that an open filing needs are kept.`
          : `${run.keys} data keys destroyed with ${run.blobs} sealed bodies; ${run.extended} kept longer, ${run.needed} needed by open filings, ${run.held} held.`,
      );
    });
}

function addHold(retention: Command): void {
  retention
    .command('hold [subject]')
    .description('place a legal hold on the data of an entity')
    .option('--all', 'all data of the tenant')
    .requiredOption('--reason <text>', 'reason; kept in the database, not in the ledger')
    .inApp(
      async (
        { app, out, actor },
        subject: string | undefined,
        own: { all?: boolean; reason: string },
      ) => {
        if ((subject === undefined) !== (own.all === true)) {
          throw misuse('Name the entity whose data to hold, or use --all');
        }
        const held = await holdData(app, actor, { subject, reason: own.reason });
        out.result('retention hold', held, () =>
          [
            held.keys > 0
              ? `Held: ${held.keys} data keys.`
              : `NOTHING IS HELD YET: no data key belongs to ${subject ?? 'this tenant'}. Check the name with filing list; the hold applies to data that is sealed later.`,
            `A second person releases it: retention release ${held.id}`,
          ].join('\n'),
        );
      },
    );
}

function addRelease(retention: Command): void {
  retention
    .command('release <hold>')
    .description('release a hold that another person placed')
    .inApp(async ({ app, out, actor }, id: string) => {
      checkUuid('hold', id);
      await releaseData(app, actor, id);
      out.result('retention release', { id }, () => `Hold ${id} is released.`);
    });
}

function readDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days <= BACKUP_DAYS_MAX) return days;
  throw misuse(`--backup-days: expected a number of days, found "${text}"`);
}
