/** The stage: an embedded PostgreSQL, portals that misbehave, people, and batches that never quite run out. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { Profile } from '../../src/core/profile.ts';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { systemClock } from '../../src/system/clock.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { type ChaosPortal, PORTALS } from './portals.ts';
import { localOperator, type PersonActor } from '../../src/access/actor.ts';

export interface Stage {
  readonly dataDirectory: string;
  readonly socketPath: string;
  readonly app: Filewright;
  readonly simulator: Simulator;
  readonly profiles: readonly Profile[];
  /** What the entity with this number is called. */
  readonly nameOf: (registryNumber: string) => string;
  /** Filings imported so far. */
  readonly imported: () => number;
  /** Imports and approves one more batch for these lanes, or for all; each gets its share. */
  feed(perLane: number, lanes?: readonly string[]): Promise<void>;
  close(options: { readonly keep: boolean }): Promise<void>;
}

export async function setStage(seed: number): Promise<Stage> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'filewright-chaos-'));
  // For root the server runs as somebody else, who must be able to pass through.
  chmodSync(dataDirectory, 0o711);
  const simulator = await startSimulator({
    profiles: PORTALS.map(({ profile }) => profile),
    port: 0,
    clock: systemClock,
    behaviour: Object.fromEntries(
      PORTALS.map(({ profile, behaviour }) => [profile.code, { seed, ...behaviour }]),
    ),
  });
  const { connection } = await ensureEmbedded({ dataDirectory });
  const app = await createFilewright({ dataDirectory });
  const first = await foundUser(app, localOperator('sim'), 'preparer');
  const second = await foundUser(app, localOperator('sim'), 'approver');
  const preparer = await personOf(app, first.key);
  const approver = await personOf(app, second.key);
  const profiles = PORTALS.map(({ profile }) => simulator.profile(profile.code));
  for (const profile of profiles) await addPortal(app, preparer, profile);
  let imported = 0;
  return {
    dataDirectory,
    socketPath: join(connection.host, `.s.PGSQL.${connection.port}`),
    app,
    simulator,
    profiles,
    nameOf,
    imported: () => imported,
    feed: async (perLane, lanes) => {
      const fed = PORTALS.filter(({ profile }) => lanes?.includes(profile.code) !== false);
      const from = imported;
      imported += await importBatch({ app, preparer, approver, dataDirectory, from, perLane, fed });
    },
    close: async ({ keep }) => {
      await app.close();
      await simulator.close();
      await stopEmbedded(dataDirectory, { mode: 'immediate' });
      if (!keep) rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

function nameOf(registryNumber: string): string {
  return `Chaos ${registryNumber.slice(1)}`;
}

async function importBatch(input: {
  readonly app: Filewright;
  readonly preparer: PersonActor;
  readonly approver: PersonActor;
  readonly dataDirectory: string;
  readonly from: number;
  readonly perLane: number;
  readonly fed: readonly ChaosPortal[];
}): Promise<number> {
  const { app, from, perLane, fed } = input;
  const path = join(input.dataDirectory, `batch-${from}.csv`);
  const rows = fed.flatMap(({ profile, share }) =>
    Array.from(
      { length: Math.ceil(perLane * share) },
      (_, n) =>
        `${profile.jurisdiction},R${from + n},${nameOf(`R${from + n}`)},annual_report,2027,2030-03-01`,
    ),
  );
  const header = 'jurisdiction,registry_number,entity_name,filing_kind,period,due';
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
  const report = await importFile(app, input.preparer, { path, dryRun: false });
  if (report.batch === undefined || report.refused > 0) {
    throw new Error(`The batch was refused: ${JSON.stringify(report.errors[0])}`);
  }
  await approve(app, input.approver, report.batch);
  rmSync(path);
  return rows.length;
}
