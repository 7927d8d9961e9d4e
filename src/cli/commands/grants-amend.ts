/** Other terms of an award, or its end: proposed by one person, agreed to by another. */
import { awardId, checkReason } from '../../core/index.ts';
import type { Command } from '../command.ts';
import { acting } from './grants-reconcile.ts';

const REASON = ['--reason <text>', 'reason; recorded in the ledger'] as const;

export function addGrantsAmendments(grants: Command): void {
  grants
    .command('amend <award>')
    .description('propose an amended record for an award, by its key; a second person approves it')
    .requiredOption('--document <file>', 'the complete amended record: exactly one award')
    .option('--format <format>', 'format of the document, if its extension does not show it')
    .requiredOption(...REASON)
    .action(
      async (
        award: string,
        own: { document: string; format?: string; reason: string },
        command: Command,
      ) =>
        acting(command, async ({ out }, pipeline, person) => {
          const { awardFile } = await import('../../grants/index.ts');
          const source = awardFile(own.document, own.format);
          const reason = checkReason('--reason', own.reason);
          const exception = await pipeline.amend(awardId(award), { source, reason }, person.id);
          out.result('grants amend', { award, exception }, () =>
            [
              `Proposed as exception ${exception}. A second person approves it:`,
              `  filewright grants exceptions resolve ${exception} --approve`,
              `Then: filewright grants exceptions reingest ${exception} ${own.document}`,
            ].join('\n'),
          );
        }),
    );

  grants
    .command('cancel <award>')
    .description('propose to cancel an award, by its key; a second person approves it')
    .requiredOption(...REASON)
    .action(async (award: string, own: { reason: string }, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const reason = checkReason('--reason', own.reason);
        const exception = await pipeline.cancelAward(awardId(award), { reason }, person.id);
        out.result('grants cancel', { award, exception }, () =>
          [
            `Proposed as exception ${exception}. A second person approves it, and the award is canceled:`,
            `  filewright grants exceptions resolve ${exception} --approve`,
          ].join('\n'),
        );
      }),
    );
}
