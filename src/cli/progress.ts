/** Live progress: one line per lane on a terminal, one line in all elsewhere. */
import { plain } from '../core/index.ts';
import type { LaneCounts } from '../lanes/index.ts';
import { span } from './output.ts';
import { columnsOf, cutTo, isTerminal, styled, visibleWidth } from './screen.ts';

const BAR_CHARS = 24;
/** Without a terminal a line now and then is enough. */
const PLAIN_EVERY_MS = 2_000;
/** A line in a log that names more lanes is not read. */
const PLAIN_LANES = 5;
/** Of a terminal that does not say. */
const ROWS = 24;
const COLUMNS = 80;

export class Progress {
  readonly #startedMs = performance.now();
  readonly #stream: NodeJS.WriteStream;
  /** Widths of the lines on the screen: after the window got narrower, one of them takes several. */
  #drawn: readonly number[] = [];
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  show(counts: readonly LaneCounts[]): void {
    if (isTerminal(this.#stream)) {
      this.#redraw(counts);
      return;
    }
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PLAIN_EVERY_MS) return;
    this.#shownMs = nowMs;
    const sum = (of: (lane: LaneCounts) => number): number =>
      counts.reduce((all, lane) => all + of(lane), 0);
    const parts = counts
      .slice(0, PLAIN_LANES)
      .map((lane) => `${plain(lane.lane)} ${doneOf(lane)}/${totalOf(lane)}`);
    const rest = counts.length - parts.length;
    const all = rest > 0 ? [`and ${rest} more lanes; in all ${sum(doneOf)}/${sum(totalOf)}`] : [];
    this.#stream.write(`${[...parts, ...all].join('  ')}\n`);
  }

  /** Moves up over what is there and writes it anew; what a line had more than now is cleared. */
  #redraw(counts: readonly LaneCounts[]): void {
    // In the last column a terminal already begins the next line.
    const columns = (columnsOf(this.#stream) ?? COLUMNS) - 1;
    const room = Math.max(1, (this.#stream.rows || ROWS) - 2);
    const shown = counts.length > room ? counts.slice(0, room - 1) : counts;
    const lines = shown.map((lane) => cutTo(this.#line(lane), columns));
    if (shown.length < counts.length)
      lines.push(cutTo(`  and ${counts.length - shown.length} more lanes`, columns));
    const up = this.#drawn.reduce(
      (rows, width) => rows + Math.max(1, Math.ceil(width / (columns + 1))),
      0,
    );
    const painted = lines.map((line) =>
      line.replace(/#+/, (bar) => styled('green', bar, this.#stream)),
    );
    this.#stream.write(
      `${up > 0 ? `\x1b[${up}A` : ''}${painted.map((line) => `\x1b[2K${line}\n`).join('')}\x1b[J`,
    );
    this.#drawn = lines.map(visibleWidth);
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
    return `  ${plain(lane.lane).padEnd(8)} [${bar}] ${String(done).padStart(6)}/${total}${trouble}${clear}${slack}`;
  }
}

export function doneOf(lane: LaneCounts): number {
  return lane.accepted + lane.rejected + lane.fallout;
}

export function totalOf(lane: LaneCounts): number {
  return doneOf(lane) + lane.pending + lane.submitted;
}
