/** Other terms of an award, or its end: proposed by one person, agreed to by another. */
import { checkReason } from '../../core/index.ts';
import type { Command } from 'commander';
import { acting } from './grants-reconcile.ts';

const REASON = ['--reason <text>', 'why; recorded in the ledger'] as const;

export function addGrantsAmendments(grants: Command): void {
  grants
    .command('amend <award>')
    .description(
      'propose another record in place of an award, by its key; another person approves it',
    )
    .requiredOption('--document <file>', 'the award as it is from now on, whole: exactly one award')
    .option('--format <format>', 'of the document, where its ending does not say it')
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
          const exception = await pipeline.amend(award, { source, reason }, person.id);
          out.result('grants amend', { award, exception }, () =>
            [
              `Proposed as exception ${exception}. Another person approves it:`,
              `  filewright grants exceptions resolve ${exception} --approve`,
              `Then: filewright grants exceptions reingest ${exception} ${own.document}`,
            ].join('\n'),
          );
        }),
    );

  grants
    .command('cancel <award>')
    .description('propose that an award ends, by its key; another person approves it')
    .requiredOption(...REASON)
    .action(async (award: string, own: { reason: string }, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const reason = checkReason('--reason', own.reason);
        const exception = await pipeline.cancelAward(award, { reason }, person.id);
        out.result('grants cancel', { award, exception }, () =>
          [
            `Proposed as exception ${exception}. Another person approves it, and the award ends:`,
            `  filewright grants exceptions resolve ${exception} --approve`,
          ].join('\n'),
        );
      }),
    );
}
