/** The people around the routers: dockets come in, somebody acknowledges, approves, reviews, closes; matrix and law change. */
import { addDays, formatDay } from '../../../src/calendar/day.ts';
import type { JsonValue } from '../../../src/core/canonical-json.ts';
import { docketId, partyId, targetId } from '../../../src/core/ids.ts';
import { readDocketRow } from '../../../src/dockets/rules/docket/read-row.ts';
import { acknowledge, closeAs, viewerOf } from '../../../src/dockets/routing/docket-acts.ts';
import { importDockets } from '../../../src/dockets/routing/intake.ts';
import type { RoutingDeps } from '../../../src/dockets/routing/deps.ts';
import { approveRun } from '../../../src/dockets/routing/recovery-acts.ts';
import { changeRouting, loadRouting } from '../../../src/dockets/routing/setup.ts';
import { reviewDifferences } from '../../../src/dockets/store/differences.ts';
import { SeededIds, SeededRandom } from '../../../src/testing/virtual-clock.ts';
import { Draw } from '../../world/draw.ts';
import { SimProcess } from '../../world/sim-process.ts';
import { baseLaw, lawClosedOn } from '../dockets-of-seed.ts';
import type { DocketRow } from '../memory/tables.ts';
import { TEAM_MEMBERS } from './firm.ts';
import { OFFICE } from './line.ts';
import { isAway, type Targets } from './targets.ts';
import { type RouterWorld, TENANT } from './world.ts';

const DOCKETS_MIN = 3;
const DOCKETS_MAX = 9;
const AGAIN_MS = 1_500;

export class Office {
  readonly #world: RouterWorld;
  readonly #draw: Draw;
  readonly #deps: RoutingDeps;
  readonly count: number;

  constructor(world: RouterWorld, targets: Targets) {
    this.#world = world;
    const draw = new Draw(world.seed, 'office');
    this.#draw = draw;
    this.count = draw.int(DOCKETS_MIN, DOCKETS_MAX);
    const clock = new SimProcess({
      name: 'office',
      host: OFFICE,
      pid: 1,
      time: world.time,
      onSleep: () => 0,
    });
    this.#deps = {
      session: world.session(clock, 'office'),
      tenant: TENANT,
      clock,
      ids: new SeededIds(clock, new SeededRandom(world.seed, 'ids of the office')),
      random: new SeededRandom(world.seed, 'dice of the office'),
      vault: world.vault,
      log: { write: () => undefined },
      law: () => world.law,
      policy: world.firm.policy,
    };
    targets.onArrival = (_target, dockets, party) => this.#read(dockets, party);
  }

  begin(): void {
    const world = this.#world;
    const draw = this.#draw;
    const spanMs = world.healAt - world.startMs;
    this.#doAt(0, () => this.#activate());
    const burstAt = draw.int(1_000, spanMs);
    for (let index = 0; index < this.count; index += 1) {
      const at = draw.chance(0.5) ? burstAt : draw.int(200, spanMs);
      const row = this.#row(index);
      this.#doAt(at, () => this.#bring(row));
      if (draw.chance(0.15)) this.#doAt(at + draw.int(1, 5_000), () => this.#bring(row));
    }
    if (draw.chance(0.4)) this.#doAt(draw.int(5_000, spanMs), () => this.#activate());
    if (draw.chance(0.4)) this.#changeLaw(spanMs);
    this.#look();
  }

  /** Whoever is in the office looks after what waits for people. */
  #look(): void {
    const world = this.#world;
    world.after(this.#draw.int(4_000, 9_000), () => {
      const { run, difference, docket } = world.database.tables;
      for (const { phase, target } of run.rows.values()) {
        if (phase === 'awaiting_approval' && this.#draw.chance(0.6)) this.#approve(target);
      }
      for (const row of difference.rows.values()) {
        if (row.reviewed_at === null && this.#draw.chance(0.3)) this.#review(row.docket);
      }
      for (const row of docket.rows.values()) this.#consider(row);
      this.#look();
    });
  }

  /** After the storm every docket that waits for people gets its person, and now and then one is closed. */
  #consider({ id, phase, state, closed_at }: DocketRow): void {
    const { isHealed } = this.#world;
    if (closed_at !== null) return;
    if (phase !== 'confirmed' && this.#draw.chance(0.015)) this.#close(id);
    const hop = state['hop'] as { readonly party?: string } | undefined;
    const isWaiting = phase === 'manual' || phase === 'awaiting';
    if (!isHealed || !isWaiting || hop?.party === undefined) return;
    if (this.#draw.chance(0.25)) this.#acknowledge(id, hop.party);
  }

  #activate(): Promise<unknown> {
    const texts = this.#world.firm.texts();
    return changeRouting(this.#deps, () => Promise.resolve(texts), { kind: 'user', id: 'p0' });
  }

  #row(index: number): Readonly<Record<string, JsonValue>> {
    const draw = this.#draw;
    const dueIn = draw.pick([0, 0, 0, 1, 3, 40]);
    return {
      application_number: `18/3001${String(index).padStart(2, '0')}`,
      filing_date: '2024-03-11',
      event_code: draw.chance(0.9) ? 'CTNF' : 'UNKNOWN',
      ...(draw.chance(0.9) ? { due_date: formatDay(addDays(this.#world.today, dueIn)) } : {}),
      client: draw.pick(['Northwind', 'Contoso']),
      technology_group: 'BIO',
    };
  }

  #bring(row: Readonly<Record<string, JsonValue>>): Promise<unknown> {
    const payload = Buffer.from(JSON.stringify(row));
    const reading = readDocketRow(row);
    const contentType = 'application/json';
    return importDockets(this.#deps, [{ payload, contentType, source: 'sim', reading }]);
  }

  /** Somebody reads what came in, and perhaps says so. */
  #read(dockets: readonly string[], party: string): void {
    const draw = this.#draw;
    for (const id of dockets) {
      // Somebody may close it while its answer is still on the way.
      if (draw.chance(0.04)) this.#world.after(draw.int(0, 1_200), () => this.#close(id));
      if (draw.chance(0.45)) {
        this.#world.after(draw.int(500, 30_000), () => this.#acknowledge(id, party));
      }
    }
  }

  #acknowledge(id: string, party: string): void {
    const by = this.#draw.pick(TEAM_MEMBERS[party] ?? [party]);
    this.#doAt(0, () => acknowledge(this.#deps, docketId(id), partyId(by)));
  }

  #approve(target: string): void {
    const actor = { kind: 'user', id: 'p0' } as const;
    this.#doAt(0, () =>
      approveRun(this.#deps, targetId(target), actor, { reason: 'compared by hand' }),
    );
  }

  #review(docket: string): void {
    const { session, tenant } = this.#deps;
    this.#doAt(0, () =>
      session.transaction((run) => reviewDifferences(run, tenant, docketId(docket), 'p0')),
    );
  }

  #close(id: string): void {
    this.#doAt(0, async () => {
      const { people } = await loadRouting(this.#deps);
      const request = { kind: 'override', reason: 'withdrawn by the client' } as const;
      await closeAs(this.#deps, viewerOf(people, partyId('p0')), docketId(id), request);
    });
  }

  #changeLaw(spanMs: number): void {
    const world = this.#world;
    const draw = this.#draw;
    const at = draw.int(5_000, spanMs);
    world.after(at, () => {
      world.law = lawClosedOn(addDays(this.#world.today, draw.int(0, 3)));
      world.note('another law');
    });
    world.after(at + draw.int(10_000, 90_000), () => {
      world.law = baseLaw();
      world.note('the first law again');
    });
  }

  /** Again as long as the database is away; what is refused for a reason stays undone. */
  #doAt(ms: number, act: () => Promise<unknown>): void {
    const world = this.#world;
    world.after(ms, () => {
      act().catch((error: unknown) => {
        if (isAway(error)) this.#doAt(AGAIN_MS, act);
        else if (!isRefusal(error)) world.book.errors.push(`office: ${describe(error)}`);
      });
    });
  }
}

function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'REFUSED_BY_RULE' || code === 'NOT_FOUND' || code === 'PROOF_NEEDED';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
