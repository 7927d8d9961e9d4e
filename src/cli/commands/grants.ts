import type { Command } from '../command.ts';
import { answerLines } from '../answer-lines.ts';
import type { GlobalOptions } from '../context.ts';
import { DatasetFiles } from '../grants-datasets.ts';
import { evaluatedWords } from './grants-evaluate-text.ts';
import { addGrantsPipelineCommands } from './grants-pipeline.ts';

export function addCommands(grants: Command): void {
  addGrantsPipelineCommands(grants);

  grants
    .command('evaluate')
    .description(
      'answer cases from standard input, one JSON object {id, kind, input} per line: forms, due dates, thresholds, identifiers, matches',
    )
    .action(async (_own: object, command: Command) => {
      const { json = false } = command.optsWithGlobals<GlobalOptions>();
      // Loaded here: the other commands shall not wait for tables they do not use.
      const { shippedLaw } = await import('../../system/index.ts');
      const pack = await import('../../grants/index.ts');
      const { answerOf, evaluateGrantsCase, grantsLawFrom } = pack;
      const law = grantsLawFrom(shippedLaw());
      const datasets = new DatasetFiles(pack);
      await answerLines({
        json,
        compute: async (given) => {
          await datasets.prepare(given);
          return answerOf(evaluateGrantsCase(given, law, datasets));
        },
        show: evaluatedWords,
      });
    });
}
