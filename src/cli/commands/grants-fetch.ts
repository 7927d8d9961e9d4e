/** Award documents that the grantor offers over HTTP: read in a slot of the lane, then taken in like a file. */
import type { Command } from '../command.ts';
import type { FetchReport } from '../../grants/index.ts';
import { EXIT } from '../../core/index.ts';
import { actorOf } from './grants-arguments.ts';
import { ingestionWords } from './grants-intake.ts';
import { acting } from './grants-reconcile.ts';

export function addGrantsFetch(grants: Command): void {
  grants
    .command('fetch <path>')
    .description(
      'read an award document through a lane and import it; a temporary failure is retried',
    )
    .requiredOption('--lane <code>', 'the lane; the path is relative to its base address')
    .option('--format <format>', 'format of the document, if the path does not show it')
    .action(async (path: string, own: { lane: string; format?: string }, command: Command) =>
      acting(command, async ({ app, out }, pipeline, person) => {
        const { awardPath, laneDocuments, readingLane } = await import('../../grants/index.ts');
        const wanted = awardPath(path, own.format);
        const report = await readingLane(app, person, own.lane, (lane) =>
          pipeline.fetchAwards(wanted, laneDocuments(own.lane, lane), actorOf(person)),
        );
        out.result('grants fetch', report, () => fetchWords(report).join('\n'));
        process.exitCode = exitAfterFetch([report]);
      }),
    );
}

export function exitAfterFetch(reports: readonly FetchReport[]): number {
  if (reports.some(({ state }) => state === 'waiting')) return EXIT.tryLater;
  const isGood = reports.every(
    ({ state, ingestion }) => state === 'ingested' && (ingestion?.refused ?? 0) === 0,
  );
  return isGood ? EXIT.done : EXIT.conflict;
}

export function fetchWords(report: FetchReport): readonly string[] {
  const { lane, path, state, attempts, nextAt, lastErrorCode, exception, ingestion } = report;
  const place = `${lane} ${path}`;
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  switch (state) {
    case 'ingested':
      return ingestion === undefined ? [`${place}: imported`] : ingestionWords(place, ingestion);
    case 'waiting':
      return [`${place}: ${lastErrorCode ?? 'being read'}; ${tries}, the next at ${nextAt}`];
    case 'fallback':
      return [`${place}: NOT IMPORTED after ${tries} (${lastErrorCode}); exception ${exception}`];
  }
}
