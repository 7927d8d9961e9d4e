/** Where records are brought: compared with the register, sealed and written with what they owe, one chunk at a time. */
import type { PersonActor } from '../../access/index.ts';
import { type EntryId, entryId, invariant, type LedgerFact, toRfc3339 } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { RowOutcome } from '../../intake/index.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { RegisterLaw } from '../rules/register/owed.ts';
import type { Run } from '../../postgres/index.ts';
import {
  changeAgents,
  entityKeys,
  type EntityWrite,
  findEntities,
  lockRegister,
  type StoredEntity,
  writeEntities,
} from '../store/entities.ts';
import { recordSubjectFacts, type SubjectFact } from '../store/subject-facts.ts';
import type { Move } from './obligation-move.ts';
import { type LaterDate, laterDates, tellOfLater } from './later-dates.ts';
import { applyPlans, movesOf, planObligations } from './obligation-plan.ts';
import {
  changeSummary,
  isSameRecord,
  openRecord,
  recordChanges,
  sealRecord,
} from './sealed-record.ts';

type Outcomes = Map<EntityRecord, RowOutcome>;

interface RegisterWriterDeps {
  readonly app: Installation;
  readonly person: PersonActor;
  readonly dryRun: boolean;
  readonly law: RegisterLaw;
  readonly today: string;
}

interface Write {
  readonly record: EntityRecord;
  readonly before: StoredEntity | undefined;
  /** Undefined for a new entity, and where what was sealed is lost. */
  readonly opened: EntityRecord | undefined;
}

/** As many as a person looks through at once; the list of obligations has all. */
const LATER_SHOWN_MAX = 100;

export class RegisterWriter {
  readonly law: RegisterLaw;
  private readonly deps: RegisterWriterDeps;
  private readonly trace: EntryId;
  /** The first of those whose date on the state's record is later than the law's. */
  readonly later: LaterDate[] = [];
  private laterCount = 0;
  private readonly counted = { created: 0, moved: 0, superseded: 0, recordNeeded: 0, blocked: 0 };

  constructor(deps: RegisterWriterDeps) {
    this.deps = deps;
    this.law = deps.law;
    this.trace = entryId(deps.app.ids.next());
  }

  counts() {
    return { ...this.counted, recordLater: this.laterCount };
  }

  /** One transaction: a crash leaves all of the chunk or nothing, and the next run finds out which. */
  async write(records: readonly EntityRecord[]): Promise<readonly RowOutcome[]> {
    const { app, dryRun } = this.deps;
    const outcomes: Outcomes = new Map();
    await app.session.transaction(async (run) => {
      if (!dryRun) await lockRegister(run, app.tenant);
      const writes = this.compare(records, await findEntities(run, app.tenant, records), outcomes);
      const { tenant } = app;
      const { law, today } = this.deps;
      const planned = await planObligations(
        run,
        writes.map((write) => write.record),
        { tenant, law, today },
      );
      // A copy of a row goes the way of the row.
      for (const record of records) {
        const fault = planned.faults.get(record.id);
        if (fault === undefined || outcomes.get(record)?.kind === 'refused') continue;
        outcomes.set(record, { kind: 'refused', errors: [fault] });
      }
      const later = laterDates(planned.plans);
      this.laterCount += later.length;
      this.later.push(...later.slice(0, LATER_SHOWN_MAX - this.later.length));
      const good = writes.filter(({ record }) => !planned.faults.has(record.id));
      if (dryRun) {
        this.count(movesOf(planned.plans));
        return;
      }
      await this.writeAll(run, good);
      const actor = { kind: 'user', id: this.deps.person.id } as const;
      this.count(await applyPlans(run, planned.plans, { app, actor, trace: this.trace }));
      await tellOfLater(run, app, later);
    });
    return records.map((record) => {
      const outcome = outcomes.get(record);
      invariant(outcome !== undefined, 'Expected an outcome for every record of the chunk.');
      return outcome;
    });
  }

  /** What has to be written; the outcome of every record is noted. */
  private compare(
    records: readonly EntityRecord[],
    stored: readonly StoredEntity[],
    outcomes: Outcomes,
  ): Write[] {
    const byId = new Map(stored.map((one) => [one.id, one]));
    const byNumber = new Map(stored.map((one) => [numberOf(one), one]));
    const writes = new Map<string, Write>();
    for (const record of records) {
      const owner = byNumber.get(numberOf(record));
      if (owner !== undefined && owner.id !== record.id) {
        const why = `already belongs to entity ${owner.id}; correct the number or the entity_id`;
        outcomes.set(record, { kind: 'refused', errors: [{ where: 'registry_number', why }] });
        continue;
      }
      const before = byId.get(record.id);
      const opened = before === undefined ? undefined : openRecord(this.deps.app.vault, before);
      // A copy within the file has been seen to be one; the first of the two is written.
      const isKnown =
        writes.has(record.id) || (opened !== undefined && isSameRecord(opened, record));
      const kind = isKnown ? 'unchanged' : before === undefined ? 'created' : 'changed';
      outcomes.set(record, { kind });
      if (!isKnown) writes.set(record.id, { record, before, opened });
    }
    return [...writes.values()];
  }

  private async writeAll(run: Run, writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    const { app } = this.deps;
    const { tenant, vault, clock } = app;
    const month = toRfc3339(clock.now()).slice(0, 7);
    const ids = writes.map(({ record }) => record.id);
    const keys = await entityKeys(run, { tenant, month }, ids, () => vault.newKey(month));
    const rows: EntityWrite[] = [];
    const facts: SubjectFact[] = [];
    for (const { record, before, opened } of writes) {
      const key = keys.get(record.id);
      invariant(key !== undefined, 'Expected a data key for every entity of the chunk.');
      const entry = entryId(app.ids.next());
      const changes = recordChanges(opened, record);
      const body = sealRecord(vault, { key, entry }, record, changes);
      const ver = (before?.ver ?? 0) + 1;
      rows.push({ ...record, ver, ct: body.sealed.ct });
      const fact: LedgerFact = {
        id: entry,
        type: before === undefined ? 'entity.recorded' : 'entity.changed',
        actor: { kind: 'user', id: this.deps.person.id },
        trace: this.trace,
        data: {
          jurisdiction: record.jurisdiction,
          registry_number: record.registryNumber,
          kind: record.kind,
          origin: record.origin,
          ...(before === undefined ? {} : changeSummary(changes, record)),
        },
        body,
      };
      facts.push({ kind: 'entity', id: record.id, ver, fact });
    }
    const written = await writeEntities(run, tenant, rows);
    invariant(
      written === rows.length,
      'Expected the versions of entities to stay while the register is locked.',
      { expected: rows.length, found: written },
    );
    await recordSubjectFacts(run, tenant, facts);
    await changeAgents(
      run,
      tenant,
      writes
        .map(({ record, opened }) => ({
          entity: record.id,
          before: opened?.sealed.agent_email,
          after: record.sealed.agent_email,
        }))
        .filter((change) => change.before !== change.after),
    );
  }

  private count(moves: readonly Move[]): void {
    for (const move of moves) {
      if (move.kind === 'new') {
        if (move.due !== undefined) this.counted.created += 1;
        else if (move.isTask) this.counted.recordNeeded += 1;
      } else if (move.kind === 'moved') this.counted.moved += 1;
      else if (move.kind === 'superseded') this.counted.superseded += 1;
      else if (move.kind === 'blocked') this.counted.blocked += 1;
    }
  }
}

function numberOf(entity: Pick<EntityRecord, 'jurisdiction' | 'registryNumber'>): string {
  return `${entity.jurisdiction} ${entity.registryNumber}`;
}
