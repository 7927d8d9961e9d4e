/** What has come of a filing by hand, one command for each word. */
import type { Command } from '../command.ts';
import {
  type HandSaying,
  readConfirmation,
  readDollars,
  readHandTime,
  type Said,
  sayInHand,
} from '../../filings/index.ts';
import { checkReason, misuse } from '../../core/index.ts';
import type { Context } from '../context.ts';

const RECEIPT = ['--receipt <number>', 'confirmation number of the office'] as const;
const FILED_AT = [
  '--filed-at <time>',
  'when it was filed, at the office: "2027-03-01 14:05", or with an offset: 2027-03-01T14:05:00-05:00',
] as const;

interface FiledOptions {
  readonly receipt: string;
  readonly filedAt: string;
  readonly fee?: string;
  readonly feeReason?: string;
  readonly confirmation?: string;
  readonly withoutFile?: string;
  readonly shared?: true;
  readonly place?: string;
}

export function addSayings(hand: Command): void {
  hand
    .command('filed <filing>')
    .description('it is filed: the receipt, when, the fee that was paid, and the confirmation')
    .requiredOption(...RECEIPT)
    .requiredOption(...FILED_AT)
    .option('--fee <dollars>', 'the fee that was really paid, as 50 or 50.00')
    .option('--fee-reason <text>', 'why another fee was paid than the one that was approved')
    .option('--confirmation <file>', 'what the office gave: PDF, PNG, JPEG or an email (.eml)')
    .option('--without-file <text>', 'where there is no file: how you know that it is filed')
    .option('--shared', 'the office gave this file for several filings')
    .option('--place <text>', 'where you found it, if you looked for a filing of another person')
    .inApp(async (context, name: string, own: FiledOptions) => {
      const { app, actor } = context;
      const { receipt, feeReason, shared, place, fee } = own;
      await say(context, 'hand filed', name, {
        kind: 'filed',
        receipt: receipt.trim(),
        filedAt: await readHandTime(app, actor, { name, option: '--filed-at', text: own.filedAt }),
        feeCents: fee === undefined ? undefined : readFee(fee),
        evidence: await evidenceOf(own),
        ...(feeReason === undefined ? {} : { feeReason: checkReason('--fee-reason', feeReason) }),
        ...(shared === undefined ? {} : { isShared: true }),
        ...(place === undefined ? {} : { place: checkReason('--place', place) }),
      });
    });
  hand
    .command('refused <filing>')
    .description('the office refused it; it becomes an exception with what the office said')
    .requiredOption('--words <text>', 'what the office said')
    .option('--code <code>', 'its code, in capital letters', 'REFUSED_BY_OFFICE')
    .inApp(async (context, name: string, own: { words: string; code: string }) => {
      const words = checkReason('--words', own.words);
      await say(context, 'hand refused', name, { kind: 'refused', code: own.code, words });
    });
  addReasoned(hand, 'release', 'not_filed', 'you did not file it: it is free for others again');
  addReasoned(hand, 'unsure', 'unsure', 'you do not know whether it is filed: someone looks first');
  hand
    .command('absent <filing>')
    .description(
      'you looked for a filing of unknown outcome, and it is not there: it is free again',
    )
    .requiredOption('--place <text>', 'where you looked, for example the search of the registry')
    .requiredOption('--looked-at <time>', 'when, at the office: "2027-03-01 14:05"')
    .inApp(async (context, name: string, own: { place: string; lookedAt: string }) => {
      const { app, actor } = context;
      const option = '--looked-at';
      const lookedAt = await readHandTime(app, actor, { name, option, text: own.lookedAt });
      const place = checkReason('--place', own.place);
      await say(context, 'hand absent', name, { kind: 'absent', place, lookedAt });
    });
}

function addReasoned(
  hand: Command,
  command: string,
  kind: 'not_filed' | 'unsure',
  about: string,
): void {
  hand
    .command(`${command} <filing>`)
    .description(about)
    .requiredOption('--reason <text>', 'reason; recorded in the ledger')
    .inApp(async (context, name: string, own: { reason: string }) => {
      const reason = checkReason('--reason', own.reason);
      await say(context, `hand ${command}`, name, { kind, reason });
    });
}

async function say(
  { app, out, actor }: Context,
  command: string,
  name: string,
  saying: HandSaying,
): Promise<void> {
  const said = await sayInHand(app, actor, name, saying);
  const { filing, outcome, notes, evidenceSha256 } = said;
  const data = { filing: filing.id, ...outcome, evidenceSha256: evidenceSha256 ?? null, notes };
  out.result(command, data, () => [textOf(said), ...notes].join('\n'));
}

function textOf({ filing, outcome }: Said): string {
  switch (outcome.to) {
    case 'accepted':
      return `Filing ${filing.id} is accepted.`;
    case 'rejected':
      return `Filing ${filing.id} was refused (${outcome.code}); next: filewright review show ${filing.id}`;
    case 'pending':
      return `Filing ${filing.id} is back in the queue; anyone can take it.`;
    case 'submitted':
    case 'fallout':
      return `Filing ${filing.id} may be filed. Someone looks first: hand filed, or hand absent.`;
  }
}

export function readFee(text: string): number {
  const cents = readDollars(text);
  if (cents !== undefined) return cents;
  throw misuse(`--fee: expected dollars as 50 or 50.00, found "${text}"`);
}

async function evidenceOf(own: FiledOptions) {
  const { confirmation, withoutFile } = own;
  if ((confirmation === undefined) === (withoutFile === undefined)) {
    throw misuse(
      'Expected the confirmation: --confirmation FILE, or --without-file "<how you know>", one of the two',
    );
  }
  if (confirmation !== undefined) return readConfirmation(confirmation);
  return { kind: 'text', text: checkReason('--without-file', withoutFile ?? '') } as const;
}
