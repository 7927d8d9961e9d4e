/** Errors counted by column and kind, so that one mistake in 498 rows is read once. */
import type { RowError } from '../core/index.ts';
import type { ErrorGroup } from './report.ts';

// A page of kinds; a file with more of them has one more, for all the others.
const GROUPS_MAX = 200;
const LINES_SHOWN_MAX = 3;
const OTHERS = 'other errors, each in the error file';

export class ErrorGroups {
  readonly #groups = new Map<string, { -readonly [K in keyof ErrorGroup]: ErrorGroup[K] }>();

  add(line: number, error: RowError): void {
    const { where, why, code } = error;
    const key = `${where} ${code ?? kindOf(why)}`;
    const known = this.#groups.get(key) ?? (this.#isFull() ? this.#others() : undefined);
    if (known === undefined) {
      const coded = code === undefined ? {} : { code };
      this.#groups.set(key, { where, why, ...coded, count: 1, lines: [line] });
      return;
    }
    known.count += 1;
    if (known.lines.length < LINES_SHOWN_MAX) known.lines = [...known.lines, line];
  }

  result(): readonly ErrorGroup[] {
    return [...this.#groups.values()].toSorted((a, b) => b.count - a.count);
  }

  #isFull(): boolean {
    return this.#groups.size >= GROUPS_MAX;
  }

  #others(): { -readonly [K in keyof ErrorGroup]: ErrorGroup[K] } {
    const known = this.#groups.get(OTHERS);
    if (known !== undefined) return known;
    const others = { where: 'row', why: OTHERS, count: 0, lines: [] };
    this.#groups.set(OTHERS, others);
    return others;
  }
}

/** Without what was found: two wrong dates are one kind of error. */
function kindOf(why: string): string {
  return why
    .slice(0, 300)
    .replaceAll(/"[^"]*"/g, '…')
    .replaceAll(/\d+/g, '#');
}
