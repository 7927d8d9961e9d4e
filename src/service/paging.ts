/** Pages by what stands last on them, so that rows that come meanwhile neither repeat nor hide others. Pure. */
import { misuse } from '../core/index.ts';

export const PAGE_DEFAULT = 100;
export const PAGE_MAX = 500;

export interface Paging {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Page {
  readonly items: readonly unknown[];
  /** Send it as `cursor` for what follows; absent on the last page. */
  readonly next?: string;
}

/** Opaque to clients, so that what it holds may change. */
export function cursorOf(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

export function keyOf(paging: Paging): string | undefined {
  if (paging.cursor === undefined) return undefined;
  const key = Buffer.from(paging.cursor, 'base64url').toString('utf8');
  if (key === '' || cursorOf(key) !== paging.cursor) {
    throw misuse('cursor: expected the text of "next" from the page before');
  }
  return key;
}

/** Of rows that were asked for with one more than the page holds. */
export function pageOf<T>(rows: readonly T[], limit: number, key: (row: T) => string): Page {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined
    ? { items, next: cursorOf(key(last)) }
    : { items };
}

/** Of a list that an act gives whole, because it is short: people, lanes, proposals. */
export function partOf<T>(all: readonly T[], paging: Paging, key: (row: T) => string): Page {
  const limit = paging.limit ?? PAGE_DEFAULT;
  const after = keyOf(paging);
  const start = after === undefined ? 0 : all.findIndex((row) => key(row) === after) + 1;
  if (after !== undefined && start === 0) {
    throw misuse('cursor: what stood last on the page before is gone; begin again without it');
  }
  return pageOf(all.slice(start), limit, key);
}
