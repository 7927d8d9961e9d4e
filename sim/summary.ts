/** What a run over many seeds came to, as numbers and as a table. */
import type { SeedResult } from './run-seed.ts';
import { SUBJECTS, type WorldName } from './worlds.ts';

/** Failing seeds named in the table; the rest are only counted. */
const SHOWN_MAX = 10;

export class Summary {
  seeds = 0;
  faultCount = 0;
  events = 0;
  virtualMs = 0;
  readonly faults = new Map<string, number>();
  readonly ends = new Map<string, number>();
  /** By invariant: the seeds that broke it, with the first detail of each. */
  readonly broken = new Map<string, { readonly seed: number; readonly detail: string }[]>();
  readonly #world: WorldName;

  constructor(world: WorldName) {
    this.#world = world;
  }

  add(result: SeedResult): void {
    this.seeds += 1;
    this.faultCount += result.faultCount;
    this.events += result.events;
    this.virtualMs += result.virtualMs;
    for (const [kind, count] of Object.entries(result.faults)) increase(this.faults, kind, count);
    for (const [status, count] of Object.entries(result.ends)) increase(this.ends, status, count);
    const seen = new Set<string>();
    for (const { invariant, detail } of result.violations) {
      if (seen.has(invariant)) continue;
      seen.add(invariant);
      const list = this.broken.get(invariant) ?? [];
      list.push({ seed: result.seed, detail });
      this.broken.set(invariant, list);
    }
  }

  json(elapsedMs: number): object {
    return {
      world: this.#world,
      seeds: this.seeds,
      violations: Object.fromEntries(this.broken),
      faults_per_seed: round(this.faultCount / this.seeds),
      faults: Object.fromEntries(sorted(this.faults)),
      [SUBJECTS[this.#world]]: Object.fromEntries(this.ends),
      events: this.events,
      virtual_s: Math.round(this.virtualMs / 1000),
      elapsed_s: round(elapsedMs / 1000),
    };
  }

  /** Faults that belong to one family are added up; the portals' own are many. */
  text(elapsedMs: number): string {
    const seconds = elapsedMs / 1000;
    const lines = [
      `world            ${this.#world}`,
      `seeds            ${this.seeds} in ${seconds.toFixed(1)} s (${(this.seeds / seconds).toFixed(1)} per second)`,
      `virtual time     ${Math.round(this.virtualMs / 60_000)} min, ${this.events} events`,
      `${SUBJECTS[this.#world].padEnd(16)} ${sorted(this.ends)
        .map(([status, count]) => `${count} ${status}`)
        .join(', ')}`,
      `faults           ${this.faultCount}, ${(this.faultCount / this.seeds).toFixed(1)} per seed`,
      ...this.#families().map(([kind, count]) => `  ${kind.padEnd(34)} ${count}`),
    ];
    if (this.broken.size === 0) return [...lines, 'violations       none', ''].join('\n');
    for (const [invariant, list] of this.broken) {
      lines.push(`VIOLATED ${invariant} in ${list.length} seeds`);
      for (const { seed, detail } of list.slice(0, SHOWN_MAX)) {
        lines.push(
          `  seed ${seed}: ${detail}`,
          `    replay: npm run sim -- --world ${this.#world} --seed ${seed} --trace`,
        );
      }
    }
    return [...lines, ''].join('\n');
  }

  #families(): [string, number][] {
    const families = new Map<string, number>();
    for (const [kind, count] of this.faults) {
      increase(families, kind.startsWith('answer ') ? 'portal answers (all kinds)' : kind, count);
    }
    return sorted(families);
  }
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function increase(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
