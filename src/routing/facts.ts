/** What the rules say to the ledger, as entries. */
import { formatDay } from '../calendar/index.ts';
import { entryId, type Ids, type JsonValue, type LedgerFact } from '../core/index.ts';
import type { DocketDates } from '../packs/patent/docket/index.ts';
import type { HandoffMessage, RoutingFact } from '../packs/patent/routing/index.ts';
import type { Actor } from './parts.ts';

export function factOf(
  ids: Ids,
  type: string,
  actor: Actor,
  data: Readonly<Record<string, unknown>>,
): LedgerFact {
  const id = entryId(ids.next());
  return { id, type, actor, trace: id, data: plain(data) as LedgerFact['data'] };
}

/** Who lacks which right is for the log of access; everything else belongs to the docket's own way. */
export function boundaryOf(fact: RoutingFact): 'filing' | 'access' {
  return fact.kind === 'skipped' && fact.reason === 'no_right' ? 'access' : 'filing';
}

export function routingFact(ids: Ids, actor: Actor, fact: RoutingFact): LedgerFact {
  const { kind, ...data } = fact;
  return factOf(ids, `docket.${kind}`, actor, data);
}

/** The intent, before anything is sent: to whom, by which dates. */
export function handoffFact(
  ids: Ids,
  actor: Actor,
  message: HandoffMessage,
  attempt: number,
): LedgerFact {
  const { dates, labels, docket: _docket, ...rest } = message;
  const days = dates.kind === 'dated' ? dates : undefined;
  return factOf(ids, 'docket.handoff', actor, {
    ...rest,
    attempt,
    labels,
    due: days === undefined ? undefined : formatDay(days.due),
    final: days?.final === undefined ? undefined : formatDay(days.final),
    law: lawOf(dates),
    unverified: days?.unverified.length,
  });
}

function lawOf(dates: DocketDates): unknown {
  return dates.kind === 'dated' ? dates.law : { undated: dates.code };
}

/** Halves of a character have no UTF-8, and no database keeps a NUL; a stranger's answer may hold both. */
const NOT_KEPT = /[\p{Surrogate}\0]/gu;

/** Canonical JSON knows neither `undefined` nor fractions. */
export function plain(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value) : null;
  if (typeof value === 'string') return value.replaceAll(NOT_KEPT, '\ufffd');
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) =>
        one === undefined ? [] : [[name.replaceAll(NOT_KEPT, '\ufffd'), plain(one)]],
      ),
    );
  }
  throw new TypeError(`a fact cannot hold a ${typeof value}`);
}

/** A value of the rules as it is stored: `undefined` is absent, everything else as it is. */
export function stored(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
