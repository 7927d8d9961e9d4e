/** Plays one year through the real pipeline on a real database, and holds it against its truth. */
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import { SeededRandom } from '../../src/testing/virtual-clock.ts';
import { openStand, type Place } from '../grants/stand.ts';
import { figuresOf, type YearFigures } from './figures.ts';
import type { Habit } from './habits.ts';
import { YearOffice } from './office.ts';
import { yearOfSeed } from './year-of-seed.ts';

const START_MS = Date.UTC(2027, 2, 1, 9);

export async function runYear(
  seed: number,
  place: Place,
  options: { readonly tenant?: string; readonly habits?: ReadonlySet<Habit> } = {},
): Promise<YearFigures> {
  const year = yearOfSeed(seed, options.habits);
  const stand = await openStand(place, {
    tenant: options.tenant ?? `year-${seed}`,
    instance: 'years.example.org',
    startMs: START_MS,
    people: ['Nora', 'Theo'],
    random: new SeededRandom(seed, 'jitter and keys'),
    settings: { synchronous_commit: 'off' },
  });
  try {
    const office = new YearOffice(year, stand, openPipeline(stand.parts));
    await office.play();
    return await figuresOf(year, office, stand);
  } finally {
    await stand.close();
  }
}
