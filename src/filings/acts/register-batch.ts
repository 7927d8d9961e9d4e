/** A batch from obligations: each becomes a row, and goes the way that a row of a file goes. */
import { type Actor, allow } from '../../access/index.ts';
import {
  entityId,
  type EntityId,
  FilewrightError,
  type JsonValue,
  notFound,
  obligationId,
  type ObligationId,
  overLimit,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { FilingEngine } from '../delivery/engine.ts';
import type { ImportReport } from '../../intake/index.ts';
import {
  type EntityRecord,
  findEntities,
  openRecord,
  type StoredObligation,
  storedObligations,
  today,
} from '../../entities/index.ts';
import { noteOpened } from '../../people/index.ts';
import { importSource } from './batches.ts';

interface BatchQuestion {
  readonly dueBefore: string;
  readonly jurisdictions: readonly string[];
  readonly dryRun: boolean;
  readonly asOf?: string;
  /** An open batch to go on with; its own obligations have their filings already. */
  readonly resume?: string;
}

export interface ObligationBatch extends ImportReport {
  /** Which obligation each reported error is about. */
  readonly refusals: readonly {
    readonly obligation: ObligationId;
    readonly entity: EntityId;
    readonly where: string;
    readonly why: string;
  }[];
  /** Their window opens later; they are in the batch and wait until then. */
  readonly opensLater: number;
  /** Already past their due date: they reach a person as soon as the batch runs. */
  readonly overdue: number;
  readonly lowConfidence: number;
  readonly withoutFee: number;
  /** Obligations of the same jurisdictions that have no date until somebody looks at the state's record. */
  readonly recordNeeded: number;
}

const PAGE_ROWS = 500;
/** More than a year's filings of the largest portfolio; beyond it the question is narrowed. */
const OBLIGATIONS_MAX = 200_000;

/** Takes every open obligation due before a day for which no filing exists. */
export async function createBatch(
  app: Installation & FilingEngine,
  actor: Actor,
  question: BatchQuestion,
): Promise<ObligationBatch> {
  allow(actor, 'batch.create');
  await noteOpened(app, actor, 'batch.create', 'register');
  const rows = new ObligationRows(app, question);
  const report = await importSource(app, {
    rows: { source: rows.lines(), format: { kind: 'ndjson' } },
    name: `obligations due before ${question.dueBefore}`,
    person: actor,
    dryRun: question.dryRun,
    ...(question.resume === undefined ? {} : { resume: question.resume }),
  });
  const refusals = report.errors.map(({ line, where, why }) => ({ ...rows.at(line), where, why }));
  return { ...report, refusals, ...rows.counts, recordNeeded: await rows.recordNeeded() };
}

class ObligationRows {
  readonly counts = { opensLater: 0, overdue: 0, lowConfidence: 0, withoutFee: 0 };
  private readonly app: Installation & FilingEngine;
  private readonly question: BatchQuestion;
  private readonly today: string;
  /** By line: errors come back by the line of the row. */
  private readonly sent: { readonly obligation: ObligationId; readonly entity: EntityId }[] = [];

  constructor(app: Installation & FilingEngine, question: BatchQuestion) {
    this.app = app;
    this.question = question;
    this.today = question.asOf ?? today(app);
  }

  at(line: number): { readonly obligation: ObligationId; readonly entity: EntityId } {
    return this.sent[line - 1] ?? { obligation: obligationId(''), entity: entityId('') };
  }

  /** Rows as they would stand in a file; they exist only in memory, since what they hold is sealed at rest. */
  async *lines(): AsyncGenerator<Uint8Array> {
    let after: { readonly due: string | undefined; readonly id: string } | undefined;
    for (;;) {
      const page = await this.page(['open'], after);
      const last = page.at(-1);
      if (last === undefined) break;
      const records = await this.records(page);
      for (const one of page) {
        const record = records.get(one.entity);
        if (record === undefined) throw lost(one);
        this.note(one);
        yield Buffer.from(`${JSON.stringify(rowOf(one, record))}\n`);
      }
      after = { due: last.due, id: last.id };
    }
    if (this.sent.length === 0 && this.question.resume === undefined) throw nothing(this.question);
  }

  async recordNeeded(): Promise<number> {
    let count = 0;
    let after: { readonly due: undefined; readonly id: string } | undefined;
    for (;;) {
      const page = await this.page(['record_needed'], after);
      count += page.length;
      const last = page.at(-1);
      if (last === undefined) return count;
      after = { due: undefined, id: last.id };
    }
  }

  private page(
    states: readonly ('open' | 'record_needed')[],
    after: { readonly due: string | undefined; readonly id: string } | undefined,
  ): Promise<StoredObligation[]> {
    const { dueBefore, jurisdictions } = this.question;
    return storedObligations(
      (statement, values) => this.app.session.run(statement, values),
      this.app.tenant,
      {
        states,
        dueBefore,
        jurisdictions,
        unfiled: true,
        limit: PAGE_ROWS,
        ...(after === undefined ? {} : { after }),
      },
    );
  }

  private async records(page: readonly StoredObligation[]): Promise<Map<string, EntityRecord>> {
    const wanted = [...new Set(page.map((one) => one.entity))].map((id) => ({
      id,
      jurisdiction: '',
      registryNumber: '',
    }));
    const stored = await findEntities(
      (statement, values) => this.app.session.run(statement, values),
      this.app.tenant,
      wanted,
    );
    const records = new Map<string, EntityRecord>();
    for (const one of stored) {
      const record = openRecord(this.app.vault, one);
      if (record !== undefined) records.set(one.id, record);
    }
    return records;
  }

  private note(one: StoredObligation): void {
    this.sent.push({ obligation: one.id, entity: one.entity });
    if (this.sent.length > OBLIGATIONS_MAX) {
      throw overLimit(
        `At most ${OBLIGATIONS_MAX} obligations make one batch; narrow it with --due-before or --jurisdiction`,
      );
    }
    const opens = opensOn(one);
    if (opens !== undefined && opens > this.today) this.counts.opensLater += 1;
    if (one.due !== undefined && one.due < this.today) this.counts.overdue += 1;
    if (one.confidence === 'low') this.counts.lowConfidence += 1;
    if (one.feeCents === undefined) this.counts.withoutFee += 1;
  }
}

/** A window that nobody verified still counts here: waiting for it loses nothing, filing before it may be refused. */
function opensOn(one: StoredObligation): string | undefined {
  const unverified = one.answer['window_opens_unverified'];
  return one.notBefore ?? (typeof unverified === 'string' ? unverified : undefined);
}

/** The columns of a filing, what the gates compare with the law, and the form fields. */
function rowOf(one: StoredObligation, record: EntityRecord): Readonly<Record<string, JsonValue>> {
  const { sealed } = record;
  const opens = opensOn(one);
  const onRecord = record.stateRecordDue[one.filingKind];
  const isTaxed = one.answer['tax'] !== undefined;
  const row: Record<string, JsonValue | undefined> = {
    ...sealed.fields,
    jurisdiction: one.jurisdiction,
    registry_number: one.registryNumber,
    entity_name: sealed.entity_name,
    entity_id: one.entity,
    filing_kind: one.filingKind,
    period: one.period,
    due: one.due,
    not_before: opens !== undefined && one.due !== undefined && opens < one.due ? opens : undefined,
    fee: one.feeCents === undefined ? undefined : (one.feeCents / 100).toFixed(2),
    entity_kind: record.kind,
    origin: record.origin,
    formation_date: record.formationDate,
    fiscal_year_end: record.fiscalYearEnd,
    tax_class: sealed.tax_class,
    filing_date_choice: sealed.filing_date_choice,
    rule_id: record.ruleId,
    // Only where this very date came from it.
    state_record_due: onRecord === one.raw ? onRecord : undefined,
    payment_reference: sealed.payment_reference,
    ...(isTaxed
      ? {
          authorized: sealed.authorized,
          issued: sealed.issued,
          gross_assets: sealed.gross_assets,
          large_filer: sealed.large_filer,
          tax_year: one.period,
        }
      : {}),
  };
  const given: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(row))
    if (value !== undefined) given.push([name, value]);
  return Object.fromEntries(given);
}

function nothing(question: BatchQuestion): FilewrightError {
  const where =
    question.jurisdictions.length === 0 ? '' : ` in ${question.jurisdictions.join(', ')}`;
  return notFound(
    `No open obligation${where} is due before ${question.dueBefore} and without a filing; see obligation list`,
  );
}

function lost(one: StoredObligation): FilewrightError {
  return new FilewrightError(
    'SEAL_BROKEN',
    `The sealed data of entity ${one.entity} cannot be opened, so no filing can be created for obligation ${one.id}; import its row again`,
    { details: { entity: one.entity, obligation: one.id } },
  );
}
