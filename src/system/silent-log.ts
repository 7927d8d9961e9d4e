import type { Log } from '../core/index.ts';

/** By itself, because most commands write no log and need none to be loaded. */
export const silentLog: Log = { write: () => undefined };
