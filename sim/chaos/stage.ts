/** The stage: an embedded PostgreSQL, three portals that misbehave, people, and batches that never quite run out. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPortal, addUser, approve, importFile, personOf } from '../../src/acts/index.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { Profile } from '../../src/core/index.ts';
import { ensureEmbedded, stopEmbedded, type Person } from '../../src/store/index.ts';
import { systemClock } from '../../src/system/index.ts';
import { sampleProfile, type Simulator, startSimulator } from '../../src/testing/index.ts';

export interface Stage {
  readonly dataDirectory: string;
  readonly socketPath: string;
  readonly app: Filewright;
  readonly simulator: Simulator;
  readonly profiles: readonly Profile[];
  /** Filings imported so far. */
  readonly imported: () => number;
  /** Imports and approves one more batch, the same number of filings for each lane. */
  feed(perLane: number): Promise<void>;
  close(options: { readonly keep: boolean }): Promise<void>;
}

/** What a request takes, so that a kill finds some of them under way. */
export const LATENCY_MS = { mean: 55, spread: 25 } as const;

const FAULTS = {
  accept_then_cut: 0.01,
  accept_then_500: 0.01,
  accept_then_silence: 0.002,
  cut_before_accept: 0.01,
  error_503: 0.01,
  received_202_then_accepted: 0.01,
  rejected_422: 0.005,
  status_500: 0.02,
  status_cut: 0.02,
} as const;

export async function setStage(seed: number): Promise<Stage> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'filewright-chaos-'));
  // For root the server runs as somebody else, who must be able to pass through.
  chmodSync(dataDirectory, 0o711);
  const simulator = await startSimulator({
    profiles: PROFILES,
    port: 0,
    clock: systemClock,
    behaviour: {
      '*': { seed, latencyMs: LATENCY_MS, faults: FAULTS, timings: { processingMs: 300 } },
    },
  });
  const { connection } = await ensureEmbedded({ dataDirectory });
  const app = await createFilewright({ dataDirectory });
  const first = await addUser(app, 'preparer', undefined);
  const second = await addUser(app, 'approver', first.key);
  const preparer = await personOf(app, first.key);
  const approver = await personOf(app, second.key);
  const profiles = PROFILES.map(({ code }) => simulator.profile(code));
  for (const profile of profiles) await addPortal(app, profile, preparer);
  let imported = 0;
  return {
    dataDirectory,
    socketPath: join(connection.host, `.s.PGSQL.${connection.port}`),
    app,
    simulator,
    profiles,
    imported: () => imported,
    feed: async (perLane) => {
      await importBatch({ app, preparer, approver, dataDirectory, from: imported, perLane });
      imported += perLane * PROFILES.length;
    },
    close: async ({ keep }) => {
      await app.close();
      await simulator.close();
      await stopEmbedded(dataDirectory, { mode: 'immediate' });
      if (!keep) rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function importBatch(input: {
  readonly app: Filewright;
  readonly preparer: Person;
  readonly approver: Person;
  readonly dataDirectory: string;
  readonly from: number;
  readonly perLane: number;
}): Promise<void> {
  const { app, from, perLane } = input;
  const path = join(input.dataDirectory, `batch-${from}.csv`);
  const rows = PROFILES.flatMap(({ jurisdiction }) =>
    Array.from(
      { length: perLane },
      (_, n) => `${jurisdiction},R${from + n},Chaos ${from + n},annual_report,2027,2030-03-01`,
    ),
  );
  const header = 'jurisdiction,registry_number,entity_name,filing_kind,period,due';
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
  const report = await importFile(app, { path, person: input.preparer, dryRun: false });
  if (report.batch === undefined || report.refused > 0) {
    throw new Error(`The batch was refused: ${JSON.stringify(report.errors[0])}`);
  }
  await approve(app, report.batch, input.approver);
  rmSync(path);
}

/** Short times, so that a slot's rest, a breaker's recovery and a settling are over within a run. */
const QUICK = {
  timeoutMs: 1_500,
  longestServiceMs: 1_800,
  retry: { inARowMax: 6, totalMsMax: 300_000, delayMsMin: 100, delayMsMax: 1_000 },
  breaker: { failures: 5, coolDownMs: 500, probeSpacingMs: 300 },
  received: { submissionIdAt: '/submission/id', pollMs: 150, boundMs: 60_000 },
} as const;

const BASE = sampleProfile();
/** By key alone: an unknown outcome has no submission id. */
const STATUS =
  BASE.status === undefined ? {} : { status: { ...BASE.status, path: '/status?key={key}' } };

/** One portal that honours keys, one that can only be asked, and one that honours keys and lets one in at a time. */
const PROFILES: readonly Profile[] = [
  sampleProfile({ ...QUICK, ...STATUS, code: 'US-NY', jurisdiction: 'US-NY', ceiling: 4 }),
  sampleProfile({
    ...QUICK,
    ...STATUS,
    code: 'US-WY',
    jurisdiction: 'US-WY',
    ceiling: 2,
    idempotency: { ...BASE.idempotency, honouredMs: 0 },
  }),
  sampleProfile({ ...QUICK, ...STATUS, code: 'US-DE', jurisdiction: 'US-DE', ceiling: 1 }),
];
