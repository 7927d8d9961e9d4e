/** A slip in what was recorded: one person says what is right, another approves it. */
import type { Command } from '../command.ts';
import {
  approveHandCorrection,
  handCorrections,
  proposeHandCorrection,
  readHandTime,
  refuseHandCorrection,
} from '../../filings/index.ts';
import { checkReason } from '../../core/index.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';
import { readFee } from './hand-say.ts';

interface CorrectOptions {
  readonly receipt?: string;
  readonly filedAt?: string;
  readonly fee?: string;
  readonly reason: string;
}

export function addCorrections(hand: Command): void {
  hand
    .command('correct <filing>')
    .description('propose another receipt, time or fee for a filing that was recorded as filed')
    .option('--receipt <number>', 'the right confirmation number')
    .option('--filed-at <time>', 'the right time at the office: "2027-03-01 14:05"')
    .option('--fee <dollars>', 'the fee that was really paid')
    .requiredOption('--reason <text>', 'reason; recorded in the ledger')
    .inApp(async ({ app, out, actor }, name: string, own: CorrectOptions) => {
      const { receipt, filedAt, fee } = own;
      const time = { name, option: '--filed-at', text: filedAt ?? '' };
      const made = await proposeHandCorrection(app, actor, {
        filing: name,
        receipt: receipt?.trim(),
        filedAt: filedAt === undefined ? undefined : await readHandTime(app, actor, time),
        feeCents: fee === undefined ? undefined : readFee(fee),
        reason: checkReason('--reason', own.reason),
      });
      const { filing, sha256 } = made;
      out.result(
        'hand correct',
        { filing: filing.id, sha256 },
        () =>
          `Nothing changes before a second person approves it: filewright hand approve ${filing.id} --expect-hash ${sha256}`,
      );
    });
  hand
    .command('corrections')
    .description('corrections that wait for a second person')
    .inApp(async ({ app, out, actor }) => {
      const corrections = await handCorrections(app, actor);
      out.result('hand corrections', { corrections }, () =>
        table(
          ['filing', 'now', 'proposed', 'by', 'at', 'reason', 'hash'],
          corrections.map(({ subject, terms, proposedBy, proposedAt, reason, sha256 }) => {
            const { former_receipt: former, ...proposed } = terms;
            const values = Object.entries(proposed).map(
              ([field, value]) => `${field}=${JSON.stringify(value)}`,
            );
            return [
              subject,
              JSON.stringify(former),
              values.join(' '),
              proposedBy,
              moment(proposedAt),
              reason,
              sha256,
            ];
          }),
        ),
      );
    });
  addDecisions(hand);
}

function addDecisions(hand: Command): void {
  hand
    .command('approve <filing>')
    .description('approve a correction as the second person')
    .requiredOption('--expect-hash <sha256>', 'the hash that hand corrections shows')
    .inApp(async ({ app, out, actor }, filing: string, own: { expectHash: string }) => {
      const done = await approveHandCorrection(app, actor, { filing, expectHash: own.expectHash });
      out.result(
        'hand approve',
        done,
        () => `Filing ${filing} now has the receipt ${done.receipt}.`,
      );
    });
  hand
    .command('refuse <filing>')
    .description('refuse a correction, or withdraw your own')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, filing: string, own: { reason: string }) => {
      await refuseHandCorrection(app, actor, { filing, reason: own.reason });
      out.result('hand refuse', { filing }, () => `Filing ${filing} stays as it was recorded.`);
    });
}
