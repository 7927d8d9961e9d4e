/** Live progress: one line per lane on a terminal, one line in all elsewhere. */
import { plain } from '../core/index.ts';
import type { LaneCounts } from '../lanes/index.ts';
import { span } from './output.ts';

const BAR_CHARS = 24;
/** Without a terminal a line now and then is enough. */
const PLAIN_EVERY_MS = 2_000;

export class Progress {
  readonly #startedMs = performance.now();
  readonly #isTerminal: boolean;
  #lines = 0;
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(isTerminal = process.stderr.isTTY && process.env['NO_COLOR'] === undefined) {
    this.#isTerminal = isTerminal;
  }

  show(counts: readonly LaneCounts[]): void {
    if (this.#isTerminal) {
      if (this.#lines > 0) process.stderr.write(`\x1b[${this.#lines}A`);
      for (const lane of counts) process.stderr.write(`\x1b[2K${this.#line(lane)}\n`);
      this.#lines = counts.length;
      return;
    }
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PLAIN_EVERY_MS) return;
    this.#shownMs = nowMs;
    const parts = counts.map((lane) => `${lane.lane} ${doneOf(lane)}/${totalOf(lane)}`);
    process.stderr.write(`${parts.join('  ')}\n`);
  }

  #line(lane: LaneCounts): string {
    const [done, total] = [doneOf(lane), totalOf(lane)];
    const filled = total === 0 ? 0 : Math.round((done / total) * BAR_CHARS);
    const bar = '#'.repeat(filled).padEnd(BAR_CHARS, '.');
    const elapsedMs = performance.now() - this.#startedMs;
    const clear =
      done > 0 && done < total ? ` clear in ${span((elapsedMs / done) * (total - done))}` : '';
    const slack = lane.leastSlackMs === undefined ? '' : ` least slack ${span(lane.leastSlackMs)}`;
    const trouble =
      lane.rejected + lane.fallout > 0 ? ` exceptions ${lane.rejected + lane.fallout}` : '';
    return `  ${plain(lane.lane).padEnd(8)} [${bar}] ${String(done).padStart(6)}/${total}${clear}${slack}${trouble}`;
  }
}

export function doneOf(lane: LaneCounts): number {
  return lane.accepted + lane.rejected + lane.fallout;
}

export function totalOf(lane: LaneCounts): number {
  return doneOf(lane) + lane.pending + lane.submitted;
}
