/** Plays the world of one seed on a real database and judges it. */
import { createHash } from 'node:crypto';
import { openPipeline } from '../../src/grants/pipeline/open-pipeline.ts';
import { SeededRandom } from '../../src/testing/virtual-clock.ts';
import { Draw } from '../world/draw.ts';
import { Trace } from '../world/trace.ts';
import { bookOfSeed } from './book-of-seed.ts';
import { Crash, type Doom, drawDoom, dyingSession } from './dying-session.ts';
import type { Crashed, Evidence, Violation } from './evidence.ts';
import { violationsOf } from './invariants/index.ts';
import { type Look, lookAt } from './look.ts';
import { type Command, Office } from './office.ts';
import { openStand, type Place, type Stand } from './stand.ts';
import { Targets } from './targets.ts';

export interface GrantsResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly crashes: readonly Crashed[];
  readonly traceHash: string;
  readonly lines: readonly string[] | undefined;
  /** How many awards had which fate, and how often what happened, to see that the worlds are not all alike. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Often enough that a command dies twice on its way, seldom enough that a world ends. */
const DEATHS_MAX = 3;
/** Somebody who does not wait at all, and somebody who does something else first. */
const MOMENT_MS = 500;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 3, 1, 9);

export async function runGrantsSeed(
  seed: number,
  place: Place,
  options: { readonly tenant?: string; readonly readable?: boolean } = {},
): Promise<GrantsResult> {
  const stand = await openStand(place, {
    tenant: options.tenant ?? `seed-${seed}`,
    instance: 'simulation.example.org',
    startMs: START_MS,
    people: ['Nora', 'Theo'],
    random: new SeededRandom(seed, 'jitter and keys'),
    // What dies here is our process, never the server: nothing that it has answered is lost.
    settings: { synchronous_commit: 'off' },
  });
  try {
    const world = new GrantsWorld(seed, stand, options.readable ?? false);
    return await world.play();
  } finally {
    await stand.close();
  }
}

class GrantsWorld {
  readonly #seed: number;
  readonly #stand: Stand;
  readonly #draw: Draw;
  readonly #trace: Trace;
  readonly #looks: { after: string; look: Look }[] = [];
  readonly #crashes: Crashed[] = [];
  readonly #surprises: Violation[] = [];

  constructor(seed: number, stand: Stand, readable: boolean) {
    this.#seed = seed;
    this.#stand = stand;
    this.#draw = new Draw(seed, 'office');
    this.#trace = new Trace({ startMs: stand.now(), readable });
  }

  async play(): Promise<GrantsResult> {
    const [seed, stand, draw] = [this.#seed, this.#stand, this.#draw];
    const book = bookOfSeed(seed);
    const documentHashes = book.documents.map((lines) =>
      createHash('sha256').update(lines.join('\n')).digest('hex'),
    );
    const targets = new Targets(seed, book, stand, documentHashes);
    const say = (violation: Violation): void => void this.#surprises.push(violation);
    const office = new Office({ book, stand, draw, targets, say });
    for (const command of office.commands()) {
      if ((await command.isNeeded?.()) === false) continue;
      if (!(await this.#carryOut(command))) break;
      // Somebody is not sure whether it went through, and gives it once more.
      if (draw.chance(0.1) && !(await this.#carryOut(command))) break;
    }
    const evidence: Evidence = {
      book,
      documentHashes,
      looks: this.#looks,
      reads: targets.reads,
      crashes: this.#crashes,
      surprises: this.#surprises,
      reported: office.reported,
    };
    const counts: Record<string, number> = {};
    const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
    for (const { fate } of book.promised) count(fate);
    for (const { command, point } of this.#crashes) count(`${command}: ${point}`);
    for (const { answer } of targets.reads) count(`read ${answer}`);
    for (const _ of this.#looks.at(-1)?.look.tables.grant_crossing ?? []) count('crossing');
    return {
      seed,
      violations: violationsOf(evidence),
      crashes: this.#crashes,
      traceHash: this.#trace.digest(),
      lines: this.#trace.lines,
      counts,
    };
  }

  /** Runs a command until it lives; false when it failed in another way than by dying. */
  async #carryOut(command: Command): Promise<boolean> {
    for (let deaths = 0; ; deaths += 1) {
      const { weakSpot } = command;
      const isDoomed = deaths < DEATHS_MAX && this.#draw.chance(weakSpot === undefined ? 0.5 : 0.8);
      const isWeak = weakSpot !== undefined && this.#draw.chance(0.6);
      const doom = !isDoomed ? undefined : isWeak ? weakSpot : drawDoom(this.#draw);
      const end = await this.#runOnce(command, doom);
      this.#trace.add(this.#stand.now(), `${command.name}: ${end}`);
      this.#looks.push({
        after: `${command.name} (${end})`,
        look: await lookAt(this.#stand.session, this.#stand.tenant),
      });
      this.#stand.advance(this.#draw.pick([MOMENT_MS, MINUTE_MS]));
      if (end === 'failed') return false;
      if (end === 'done') return true;
      if ((await command.isLeft?.(openPipeline(this.#stand.parts))) === true) return true;
    }
  }

  async #runOnce(command: Command, doom: Doom | undefined): Promise<'done' | 'died' | 'failed'> {
    const session = dyingSession(this.#stand.session, doom);
    try {
      await command.run(openPipeline({ ...this.#stand.parts, session }));
      return 'done';
    } catch (error) {
      if (error instanceof Crash && doom !== undefined) {
        this.#crashes.push({ command: command.name, point: doom.point });
        return 'died';
      }
      const text = `${command.name}: ${error instanceof Error ? error.message : String(error)}`;
      this.#surprises.push({ invariant: 'runs_again', text });
      return 'failed';
    }
  }
}
