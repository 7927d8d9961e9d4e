/** The ingestion boundary: a document goes in whole or not at all; what cannot be accepted is left for the fallback. */
import {
  type ActorRef,
  type AwardId,
  badInput,
  canonicalBytes,
  type Instant,
  ruledOut,
} from '../../../core/index.ts';
import {
  type AcceptedAward,
  ingestAward,
  type Ingested,
  type RefusedAward,
} from '../../rules/intake/ingest.ts';
import { classifyFailure } from '../../rules/intake/failures.ts';
import { exceptionEnvelope } from '../../rules/intake/exception-envelope.ts';
import { metadataHash } from '../../rules/intake/metadata.ts';
import { readAwards } from '../../rules/intake/read-awards.ts';
import { retainedUntil } from '../../rules/award-retention.ts';
import { isNoAward } from '../../rules/intake/award-schema.ts';
import type { Violation } from '../../rules/intake/award-record.ts';
import {
  addAwardGroup,
  addAwards,
  addDocument,
  approvedCorrection,
  awardsByIdentity,
  lockDocument,
  type NewAward,
  type StoredAward,
  storedAward,
} from '../../store/awards.ts';
import { escalate } from '../../store/escalations.ts';
import type { StageRun } from '../../store/stage.ts';
import { hashOfSource, sameBytes, sha256OfJson } from '../bytes.ts';
import type { AwardSource, IngestionReport, RefusedRecord } from '../contracts.ts';
import { withdraw } from './amendments.ts';
import { identityOf } from './identity.ts';
import type { IngestionDeps } from './ingestion-deps.ts';

/** Awards in one statement and one sealed group. */
const GROUP = 250;
/** Refusals that are told at once; the exceptions list has all of them. */
const TOLD_MAX = 100;

type Placed<Award> = Award & { readonly ordinal: number; readonly line: number };

export async function ingestAwards(
  deps: IngestionDeps,
  source: AwardSource,
  actor: ActorRef,
  options: {
    /** The exception that this document corrects; two people have agreed to it. */
    readonly corrects?: string;
    /** Committed together with the document, also where it is known already. */
    readonly along?: (at: StageRun) => Promise<void>;
  } = {},
): Promise<IngestionReport> {
  const { corrects, along } = options;
  const document = await hashOfSource(source);
  return deps.store.transaction(async (at) => {
    const known = await lockDocument(at, document);
    if (known !== undefined) {
      const { records, accepted, repeated, refused } = known;
      const counts = { records, accepted, repeated, refused };
      await along?.(at);
      return { document, ...counts, refusals: [], isRepeatedDocument: true };
    }
    const correction = corrects === undefined ? undefined : await approvedCorrection(at, corrects);
    const amends = correction?.amends;
    const replaces = amends ?? correction?.key;
    const now = deps.now();
    const old = amends === undefined ? undefined : await storedAward(at, amends);
    const intake = new DocumentIntake(deps, at, { document, actor, now, old });
    const context = {
      tenant: at.tenant,
      sourceDocument: document,
      now,
      law: deps.law,
      ...(replaces !== undefined && { replaces }),
    };
    const given =
      source.records?.(document) ?? readAwards(source.format, sameBytes(source, document));
    for await (const record of given) await intake.take(ingestAward(record, context));
    intake.refuseAnotherKind(source.name);
    const report = await intake.finish();
    const { records, accepted, repeated, refused } = report;
    if (corrects !== undefined && (accepted !== 1 || records !== 1)) {
      // Thrown after everything: nothing of it is stored, and the exception stays as it was.
      throw ruledOut(
        `${source.name}: the correction of exception ${corrects} can no longer be imported: its award is already on file, or refused`,
      );
    }
    const counts = { records, accepted, repeated, refused };
    const { name, format } = source;
    await addDocument(at, { id: document, name, format, replaces: corrects, ...counts });
    await deps.store.record(at, {
      type: 'document.ingested',
      actor,
      subject: { kind: 'grant_document', id: document, ver: intake.facts + 1 },
      data: {
        ...counts,
        format,
        ...(corrects !== undefined && { corrects }),
        ...(replaces !== undefined && { replaces }),
      },
    });
    const by = intake.lastKey;
    if (corrects !== undefined && amends !== undefined && by !== undefined) {
      await withdraw(deps, at, { award: amends, by, exception: corrects }, actor);
    }
    await along?.(at);
    return report;
  });
}

class DocumentIntake {
  readonly #deps: IngestionDeps;
  readonly #at: StageRun;
  readonly #document: string;
  readonly #actor: ActorRef;
  /** Of the whole document: part of every stamp. */
  readonly #now: Instant;
  #waiting: Ingested[] = [];
  #records = 0;
  /** What at least tries to be an award. */
  #awards = 0;
  #accepted = 0;
  #repeated = 0;
  #refused = 0;
  #groups = 0;
  readonly #refusals: RefusedRecord[] = [];
  #retainUntil = '';
  /** The award that is amended, where one is. */
  readonly #old: StoredAward | undefined;
  facts = 0;
  /** Of the award that was taken in last. */
  lastKey: string | undefined;

  constructor(
    deps: IngestionDeps,
    at: StageRun,
    of: {
      readonly document: string;
      readonly actor: ActorRef;
      readonly now: Instant;
      readonly old: StoredAward | undefined;
    },
  ) {
    this.#deps = deps;
    this.#at = at;
    this.#document = of.document;
    this.#actor = of.actor;
    this.#now = of.now;
    this.#old = of.old;
  }

  async take(record: Ingested): Promise<void> {
    this.#records += 1;
    if (record.kind === 'accepted' || !isNoAward(record.violations)) this.#awards += 1;
    this.#waiting.push(record);
    if (this.#waiting.length >= GROUP) await this.#flush();
  }

  /** Before anything of it is kept: it would become a question to two people, and there is none. */
  refuseAnotherKind(name: string): void {
    if (this.#records === 0 || this.#awards > 0) return;
    throw badInput(
      `${name}: expected awards, but nothing in it has an amount, a grantor, a currency or a fiscal year. Check that it is the right file`,
    );
  }

  async finish(): Promise<IngestionReport> {
    await this.#flush();
    if (this.#retainUntil !== '') {
      const domains = ['ingestion', 'award', 'escalation'] as const;
      await this.#deps.store.retain(this.#at, domains, this.#document, this.#retainUntil);
    }
    return {
      document: this.#document,
      records: this.#records,
      accepted: this.#accepted,
      repeated: this.#repeated,
      refused: this.#refused,
      refusals: this.#refusals,
      isRepeatedDocument: false,
    };
  }

  async #flush(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    const accepted = group.filter((one) => one.kind === 'accepted');
    const fresh = await this.#add(accepted);
    if (fresh.length > 0) await this.#passOn(fresh);
    for (const one of group) if (one.kind !== 'accepted') await this.#refuse(one, one.kind);
  }

  /** Those that are new. Known ones are counted once; with another content they go to a person. */
  async #add(
    accepted: readonly Placed<AcceptedAward>[],
  ): Promise<readonly Placed<AcceptedAward>[]> {
    const rows = accepted.map((one) => this.#rowOf(one));
    const place = { document: this.#document, group: this.#groups };
    const added = await addAwards(this.#at, place, rows);
    const others = accepted.filter(({ metadata }) => !added.has(metadata.idempotency_key));
    const identities = others.flatMap(({ payload }) => identityOf(payload) ?? []);
    const known = await awardsByIdentity(this.#at, identities);
    for (const one of others) {
      const before = known.get(identityOf(one.payload) ?? '');
      if (before?.payloads.has(one.metadata.payload_hash) === true) {
        this.#repeated += 1;
        continue;
      }
      const violations: readonly Violation[] = [
        {
          code: 'NOT_ALLOWED',
          field: 'award_id',
          message: `the award is already on file with other content, as ${before?.key ?? 'another record'}`,
        },
      ];
      const refused = { ...one, original: one.payload, violations };
      await this.#refuse(refused, 'conflicting', before?.key);
    }
    return accepted.filter(({ metadata }) => added.has(metadata.idempotency_key));
  }

  #rowOf({ payload, metadata, ordinal, line }: Placed<AcceptedAward>): NewAward {
    const until = retainedUntil(payload, this.#deps.law);
    if (until !== undefined && until > this.#retainUntil) this.#retainUntil = until;
    const { expected_on: expectedOn, award_amount: cents, fiscal_year: year } = payload;
    const identity = identityOf(payload);
    const isSameAward = identity !== undefined && identity === this.#old?.identity;
    return {
      key: metadata.idempotency_key,
      generation: isSameAward ? (this.#old?.generation ?? 0) + 1 : 0,
      ordinal,
      line,
      grantor: typeof payload['grantor_id'] === 'string' ? payload['grantor_id'] : '',
      identity,
      fiscalYear: Number(year),
      cents: Number(cents),
      expectedOn: typeof expectedOn === 'string' ? expectedOn : undefined,
      payloadSha256: metadata.payload_hash,
      mappingSha256: metadata.mapping_hash ?? undefined,
      ingestedAt: this.#now,
      replaces: metadata.replaces ?? undefined,
    };
  }

  /** Evidence in this boundary's own log, and the same for the stages behind, under the key of that contract. */
  async #passOn(awards: readonly Placed<AcceptedAward>[]): Promise<void> {
    const list = awards.map(({ ordinal, payload, mapping, metadata, written }) => ({
      ordinal,
      ...(written !== undefined && { written }),
      payload,
      mapping: mapping === undefined ? null : { ...mapping },
      metadata: { ...metadata },
    }));
    const canonical = canonicalBytes(list);
    const { store } = this.#deps;
    this.facts += 1;
    await store.record(this.#at, {
      type: 'awards.accepted',
      actor: this.#actor,
      subject: { kind: 'grant_document', id: this.#document, ver: this.facts },
      data: {
        first: awards[0]?.ordinal ?? 0,
        last: awards.at(-1)?.ordinal ?? 0,
        count: awards.length,
        metadata_sha256: sha256OfJson(awards.map(({ metadata }) => metadataHash(metadata))),
      },
      body: { about: this.#document, canonical },
    });
    const sealed = await store.sealFor(this.#at, 'award', this.#document, canonical);
    const group = { document: this.#document, n: this.#groups, awards: awards.length };
    await addAwardGroup(this.#at, group, sealed);
    this.#groups += 1;
    this.#accepted += awards.length;
    this.lastKey = awards.at(-1)?.metadata.idempotency_key;
  }

  async #refuse(
    one: Placed<Omit<RefusedAward, 'kind'>>,
    kind: RefusedRecord['kind'],
    amends?: AwardId,
  ): Promise<void> {
    this.#refused += 1;
    const { ordinal, line, violations } = one;
    const envelope = exceptionEnvelope({
      originalPayload: one.original,
      metadata: one.metadata,
      escalationCode: escalationOf(kind, violations),
      auditTrail: [],
      violations,
      amends,
      at: this.#now,
    });
    const canonical = canonicalBytes(envelope, { numbers: 'any' });
    const exception = await escalate(this.#deps.store, this.#at, this.#document, canonical);
    if (this.#refusals.length < TOLD_MAX) {
      this.#refusals.push({ ordinal, line, kind, exception, violations });
    }
  }
}

function escalationOf(kind: RefusedRecord['kind'], violations: readonly Violation[]): string {
  switch (kind) {
    case 'conflicting':
      return 'AWARD_CONTRADICTION';
    case 'quarantined':
      return 'NON_DETERMINISTIC_PAYLOAD';
    case 'refused':
      return classifyFailure({ kind: 'schema', codes: violations.map(({ code }) => code) }).code;
  }
}
