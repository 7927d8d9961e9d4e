/** The forecast over what the database knows: lanes, what is owed on them, and how long they have taken lately. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  type BacklogFiling,
  forecast,
  type ForecastLane,
  type ForecastOptions,
  type LaneForecast,
} from '../rules/forecast.ts';
import { type Instant, ruledOut } from '../../core/index.ts';
import {
  backlogPages,
  filingsDueBefore,
  lanesOwing,
  measuredServiceMs,
} from '../store/forecast.ts';
import { findBatch } from '../store/batches.ts';
import { readBatchId } from './batches.ts';
import { lanes, type LaneWithProfile, requireLane } from '../../lanes/index.ts';

/** A forecast and a rehearsal hold what is owed in memory, some hundred bytes for each filing; this is a mistake or a house of its own. */
const BACKLOG_MAX = 1_000_000;

export interface Scope {
  readonly batch?: string;
  readonly lane?: string;
  readonly dueBefore?: Instant;
}

/** What a forecast is made of. `counts` tells the asked filings from those that only compete with them. */
interface Outlook {
  readonly lanes: readonly ForecastLane[];
  readonly backlog: readonly BacklogFiling[];
  readonly counts: (filing: BacklogFiling) => boolean;
  readonly now: Instant;
}

interface Forecasting {
  readonly forecasts: readonly LaneForecast[];
  readonly now: Instant;
}

export async function forecastFilings(
  app: Installation,
  actor: Actor,
  scope: Scope,
  options: Omit<ForecastOptions, 'counts'> = {},
): Promise<Forecasting> {
  allow(actor, 'forecast.show');
  const { lanes: known, backlog, counts, now } = await readOutlook(app, scope);
  return { forecasts: forecast(known, backlog, now, { ...options, counts }), now };
}

export async function readOutlook(app: Installation, scope: Scope): Promise<Outlook> {
  const { session, tenant } = app;
  const run = session.run.bind(session);
  const wanted = await wantedLanes(app, scope);
  const ceilings = new Map(wanted.map(({ state }) => [String(state.code), state.ceiling]));
  const measured = await measuredServiceMs(run, tenant, ceilings);
  const backlog: BacklogFiling[] = [];
  // All filings of these lanes, also those of other batches: they wait in the same queue.
  for (const code of ceilings.keys()) {
    for await (const page of backlogPages(run, tenant, code)) {
      for (const filing of page) backlog.push(filing);
      if (backlog.length > BACKLOG_MAX) {
        throw ruledOut(
          `More than ${BACKLOG_MAX} filings are open on these lanes; choose one with --lane`,
        );
      }
    }
  }
  const { batch, dueBefore } = scope;
  const due = dueBefore === undefined ? undefined : await filingsDueBefore(run, tenant, dueBefore);
  return {
    lanes: wanted.map((lane) => ({ ...lane, serviceMs: measured.get(lane.state.code) })),
    backlog,
    counts: (filing) =>
      (batch === undefined || filing.batch === batch) && (due === undefined || due.has(filing.id)),
    now: app.clock.now(),
  };
}

async function wantedLanes(app: Installation, scope: Scope): Promise<readonly LaneWithProfile[]> {
  const { session, tenant } = app;
  const { batch, lane, dueBefore } = scope;
  if (batch !== undefined) await findBatch(session, tenant, readBatchId(batch));
  const all = await lanes(app);
  if (lane !== undefined) requireLane(all, lane);
  const owing = await lanesOwing(session.run.bind(session), tenant, {
    ...(batch === undefined ? {} : { batch }),
    ...(dueBefore === undefined ? {} : { dueBefore }),
  });
  return all.filter(
    ({ state }) => owing.includes(state.code) && (lane === undefined || state.code === lane),
  );
}
