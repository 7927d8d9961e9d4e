/** Asks every question of the register again: after a change of rules or calendars, and once in a while as days pass. */
import { type Actor, allow } from '../../access/index.ts';
import { type ActorRef, type EntityId, entryId } from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { RegisterLaw } from '../rules/register/owed.ts';
import { listEntities, lockRegister } from '../store/entities.ts';
import { registerLaw, today } from './law.ts';
import type { Move } from './obligation-move.ts';
import { applyPlans, movesOf, planObligations } from './obligation-plan.ts';
import { openRecord } from './sealed-record.ts';

export interface Recomputation {
  readonly entities: number;
  readonly counts: Readonly<Record<Move['kind'], number>>;
  /** Dates that are now earlier than they were. */
  readonly earlier: number;
  /** The earlier ones first; at most ten thousand. */
  readonly moves: readonly Move[];
  /** Entities that could not be computed, with the reason. */
  readonly faults: readonly {
    readonly entity: EntityId;
    readonly where: string;
    readonly why: string;
  }[];
  readonly ruleVersion: string;
  readonly calendarVersion: string;
}

interface RecomputeInput {
  /** Nothing is written: the list of what would move comes before anything moves. */
  readonly dryRun: boolean;
  readonly asOf?: string;
  readonly jurisdiction?: string;
  readonly law?: RegisterLaw;
}

const PAGE_ROWS = 500;
const LISTED_MAX = 10_000;

export async function recompute(
  app: Installation,
  actor: Actor,
  input: RecomputeInput,
): Promise<Recomputation> {
  const by = writerOf(actor, input.dryRun);
  const act = input.dryRun ? 'obligation.foresee' : 'obligation.recompute';
  await noteOpened(app, actor, act, 'register');
  const law = input.law ?? registerLaw();
  const day = input.asOf ?? today(app);
  const counts: Record<Move['kind'], number> = {
    new: 0,
    moved: 0,
    met: 0,
    superseded: 0,
    blocked: 0,
  };
  const moves: Move[] = [];
  const faults: { entity: EntityId; where: string; why: string }[] = [];
  const trace = entryId(app.ids.next());
  let earlier = 0;
  let entities = 0;
  let after: string | undefined;
  for (;;) {
    const page = await app.session.transaction(async (run) => {
      if (!input.dryRun) await lockRegister(run, app.tenant);
      const filter = {
        limit: PAGE_ROWS,
        ...(after === undefined ? {} : { after }),
        ...(input.jurisdiction === undefined ? {} : { jurisdiction: input.jurisdiction }),
      };
      const stored = await listEntities(run, app.tenant, filter);
      const records: EntityRecord[] = [];
      for (const one of stored) {
        const record = openRecord(app.vault, one);
        if (record !== undefined) records.push(record);
        else faults.push({ entity: one.id, where: 'sealed', why: LOST });
      }
      const question = { tenant: app.tenant, law, today: day };
      const planned = await planObligations(run, records, question);
      for (const [entity, fault] of planned.faults) faults.push({ entity, ...fault });
      const found = input.dryRun
        ? movesOf(planned.plans)
        : await applyPlans(run, planned.plans, { app, actor: by, trace });
      return { last: stored.at(-1)?.id, count: stored.length, found };
    });
    entities += page.count;
    for (const move of page.found) {
      counts[move.kind] += 1;
      if (move.isEarlier) earlier += 1;
      if (moves.length < LISTED_MAX || move.isEarlier) moves.push(move);
    }
    if (page.count < PAGE_ROWS) break;
    after = page.last;
  }
  if (!input.dryRun) await sequenceAll(app);
  moves.sort((a, b) => Number(b.isEarlier) - Number(a.isEarlier));
  return {
    entities,
    counts,
    earlier,
    moves: moves.slice(0, LISTED_MAX),
    faults: faults.slice(0, LISTED_MAX),
    ruleVersion: law.rules.version,
    calendarVersion: law.businessDays.version,
  };
}

const LOST = 'the sealed data of this entity cannot be opened; import its row again';

/** Looking ahead is for everybody and writes nothing; what is written names its person. */
function writerOf(actor: Actor, isDryRun: boolean): ActorRef {
  if (isDryRun) {
    allow(actor, 'obligation.foresee');
    return { kind: 'system', id: 'register' };
  }
  allow(actor, 'obligation.recompute');
  return { kind: 'user', id: actor.id };
}
