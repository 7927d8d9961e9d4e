/** Duties of awards are recorded as filed, with their proof. */
import type { Command } from '../command.ts';
import { checkReason } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import { requirePerson } from '../../people/index.ts';
import { readDay } from './obligation-register.ts';

interface FiledOptions {
  readonly receipt: string;
  readonly filedOn: string;
  readonly confirmation?: string;
  readonly correct?: string;
}

export function addGrantsFiled(grants: Command): void {
  grants
    .command('filed <obligation>')
    .description(
      'record that a report, a return or an audit is filed; obligation list shows the id, 12 characters of it are enough',
    )
    .requiredOption('--receipt <text>', 'receipt or confirmation number')
    .requiredOption('--filed-on <day>', 'the day on which it was filed')
    .option('--confirmation <file>', 'the confirmation as a file; it is sealed with the record')
    .option(
      '--correct <reason>',
      'correct what another person has recorded; the reason is recorded in the ledger',
    )
    .inApp(async ({ app, out, actor }, obligation: string, own: FiledOptions) => {
      const { fileDuty } = await import('../../grants/index.ts');
      const { readConfirmation } = await import('../../filings/index.ts');
      const { sequenceAll } = await import('../../ledger/index.ts');
      const person = requirePerson(actor);
      const recorded = await fileDuty(app, person, {
        obligation,
        receipt: own.receipt,
        filedOn: readDay('--filed-on', own.filedOn),
        ...(own.confirmation !== undefined && {
          confirmation: await readConfirmation(own.confirmation),
        }),
        ...(own.correct !== undefined && { reason: checkReason('--correct', own.correct) }),
      });
      await sequenceAll(app);
      out.result(
        'grants filed',
        recorded,
        () =>
          `${recorded.filingKind} for ${recorded.period} is recorded as filed on ${recorded.filedOn}.`,
      );
    });

  grants
    .command('proof <obligation>')
    .description('the receipt and the confirmation of a filed duty; needs your personal key')
    .option('--out <file>', 'write the confirmation to this file')
    .inApp(async ({ app, out, actor }, obligation: string, own: { out?: string }) => {
      const { openDutyProof } = await import('../../grants/index.ts');
      const { sequenceAll } = await import('../../ledger/index.ts');
      const { bytes, ...proof } = await openDutyProof(app, requirePerson(actor), obligation);
      await sequenceAll(app);
      if (own.out !== undefined && bytes !== undefined) writeWhole(own.out, bytes);
      const file = bytes === undefined ? 'no file was recorded' : (proof.name ?? 'a file');
      out.result('grants proof', { ...proof, bytes: bytes?.length ?? 0 }, () =>
        [
          `Filed on ${proof.filedOn}, receipt ${proof.receipt}; confirmation: ${file}`,
          ...(own.out !== undefined && bytes !== undefined ? [`Written to ${own.out}.`] : []),
        ].join('\n'),
      );
    });
}
