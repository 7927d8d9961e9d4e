/** What ingestion keeps: documents, the stamps of awards, and the sealed groups that it hands on. */
import { awardId, type AwardId, type Instant, type JsonValue } from '../../core/index.ts';
import { hex, optional, type Row, sql, text, when } from '../../postgres/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { SealedBytes, StageStore, StageRun } from './stage.ts';
import { awardEnds } from './award-ends.ts';

export interface NewAward {
  readonly key: string;
  readonly ordinal: number;
  readonly line: number;
  readonly grantor: string;
  /** Hex; undefined where the award has no number of its own. */
  readonly identity: string | undefined;
  readonly fiscalYear: number;
  readonly cents: number;
  readonly expectedOn: string | undefined;
  readonly payloadSha256: string;
  readonly mappingSha256: string | undefined;
  readonly ingestedAt: Instant;
  readonly replaces: string | undefined;
  /** How many records of the same identity it stands in place of. */
  readonly generation: number;
}

interface StoredDocument {
  readonly id: string;
  readonly records: number;
  readonly accepted: number;
  readonly repeated: number;
  readonly refused: number;
}

const LOCK = sql('grants-document-lock')`
select lock_name($1, 'grants.document', $2)`;

const FIND = sql('grants-document-find')`
select id, records, accepted, repeated, refused from grant_document where tenant = $1 and id = $2`;

const ADD_DOCUMENT = sql('grants-document-add')`
insert into grant_document (tenant, id, name, format, records, accepted, repeated, refused, replaces)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

// Two documents may tell of the same award at the same time: the later one waits here and then sees the earlier one.
const ADD_AWARDS = sql('grants-awards-add')`
with i as materialized (
  select * from json_to_recordset($4::json) as i(
    key text, ordinal int, line int, grantor text, identity text, "fiscalYear" int, cents bigint, "expectedOn" date,
    "payloadSha256" text, "mappingSha256" text, "ingestedAt" double precision, replaces text, generation int)
)
insert into grant_award (tenant, key, document, ordinal, line, grp, grantor, identity, fiscal_year, cents, expected_on,
  payload_sha256, mapping_sha256, ingested_at, replaces, generation)
select $1, key, $2, ordinal, line, $3::int, grantor, decode(identity, 'hex'), "fiscalYear", cents, "expectedOn",
  decode("payloadSha256", 'hex'), decode("mappingSha256", 'hex'), to_timestamp("ingestedAt" / 1000), replaces, generation
from i order by identity, ordinal
on conflict on constraint grant_award_identity do nothing
returning key`;

const BY_IDENTITY = sql('grants-awards-by-identity')`
select encode(identity, 'hex') as identity, key, payload_sha256, generation from grant_award
where tenant = $1 and identity = any (select decode(d, 'hex') from unnest($2::text[]) d) order by generation`;

const ADD_GROUP = sql('grants-award-group-add')`
insert into grant_award_group (tenant, document, n, awards, entry, key, bytes) values ($1, $2, $3, $4, $5, $6, $7)`;

const GROUPS = sql('grants-award-groups')`
select document, n, entry, key, bytes from grant_award_group
where tenant = $1 and (document, n) > ($2, $3) order by document, n limit 8`;

const REPLACED_KEY = sql('grants-replaced-key')`
select x.award_key, p.terms::jsonb->>'amends' as amends from grant_exception x
left join proposal p on p.tenant = x.tenant and p.kind = 'exception' and p.subject = x.id::text and p.state = 'approved'
  and p.terms::jsonb->>'resolution' = 'reingest'
where x.tenant = $1 and x.id = $2`;

/** One at a time for each document: a second run of the same one waits, and then finds it done. */
export async function lockDocument(at: StageRun, id: string): Promise<StoredDocument | undefined> {
  await at.run(LOCK, [at.tenant, id]);
  const [row] = await at.run(FIND, [at.tenant, id]);
  return row === undefined ? undefined : documentOf(row);
}

function documentOf(row: Row): StoredDocument {
  return {
    id: text(row['id']),
    records: Number(row['records']),
    accepted: Number(row['accepted']),
    repeated: Number(row['repeated']),
    refused: Number(row['refused']),
  };
}

export async function addDocument(
  at: StageRun,
  document: StoredDocument & {
    readonly name: string;
    readonly format: string;
    readonly replaces: string | undefined;
  },
): Promise<void> {
  const { id, name, format, records, accepted, repeated, refused, replaces } = document;
  const counts = [records, accepted, repeated, refused];
  const values = [id, name, format, ...counts, replaces ?? null];
  await at.run(ADD_DOCUMENT, [at.tenant, ...values]).catch(refusedByRule);
}

/** Keys of those that are new; the others are known by their identity. */
export async function addAwards(
  at: StageRun,
  place: { readonly document: string; readonly group: number },
  awards: readonly NewAward[],
): Promise<ReadonlySet<string>> {
  if (awards.length === 0) return new Set();
  const rows = await at.run(ADD_AWARDS, [
    at.tenant,
    place.document,
    place.group,
    JSON.stringify(awards),
  ]);
  return new Set(rows.map((row) => text(row['key'])));
}

interface KnownAward {
  /** Of the last record of it. */
  readonly key: AwardId;
  readonly generation: number;
  /** Of all records of it, amended ones too: each is known when it comes again. */
  readonly payloads: ReadonlySet<string>;
}

export async function awardsByIdentity(
  at: StageRun,
  identities: readonly string[],
): Promise<ReadonlyMap<string, KnownAward>> {
  if (identities.length === 0) return new Map();
  const known = new Map<string, KnownAward>();
  for (const row of await at.run(BY_IDENTITY, [at.tenant, identities])) {
    const identity = text(row['identity']);
    const payloads = new Set(known.get(identity)?.payloads).add(hex(row['payload_sha256']));
    const generation = Number(row['generation']);
    known.set(identity, { key: awardId(text(row['key'])), generation, payloads });
  }
  return known;
}

const FIND_AWARD = sql('grants-award-find')`
select grantor, encode(identity, 'hex') as identity, generation from grant_award where tenant = $1 and key = $2`;

export interface StoredAward {
  readonly grantor: string;
  readonly identity: string | undefined;
  readonly generation: number;
}

export async function storedAward(at: StageRun, key: string): Promise<StoredAward | undefined> {
  const [row] = await at.run(FIND_AWARD, [at.tenant, key]);
  return row === undefined
    ? undefined
    : {
        grantor: text(row['grantor']),
        identity: optional(row['identity'], text),
        generation: Number(row['generation']),
      };
}

export async function addAwardGroup(
  at: StageRun,
  group: { readonly document: string; readonly n: number; readonly awards: number },
  sealed: SealedBytes,
): Promise<void> {
  const { document, n, awards } = group;
  const { entry, key, blob } = sealed;
  await at.run(ADD_GROUP, [at.tenant, document, n, awards, entry, key, Buffer.from(blob)]);
}

/** An accepted award as ingestion writes it into a group. */
export type PassedItem = {
  readonly payload: { readonly [field: string]: JsonValue };
  readonly mapping: JsonValue;
  readonly metadata: { readonly idempotency_key: string; readonly payload_hash: string };
};

/**
 * Everything that ingestion has released, group by group; for the stages behind it. What was amended or cancelled is left
 * out, unless `all` is asked for: money may have come for it.
 */
export async function* passedAwards(
  store: StageStore,
  at: StageRun,
  which: 'standing' | 'all' = 'standing',
): AsyncGenerator<readonly PassedItem[]> {
  const gone = which === 'all' ? new Map() : await awardEnds(at);
  for (let document = '', n = 0; ; ) {
    const rows = await at.run(GROUPS, [at.tenant, document, n]);
    for (const body of await store.openFrom(at, 'award', rows)) {
      // Written by ingestion as a list; the seal has just proved that it is unchanged.
      const group = JSON.parse(Buffer.from(body).toString('utf8')) as PassedItem[];
      yield gone.size === 0
        ? group
        : group.filter((item) => !gone.has(item.metadata.idempotency_key));
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    document = text(last['document']);
    n = Number(last['n']);
  }
}

/** The key of the record that an exception holds, and the award that its approved correction replaces. */
export async function approvedCorrection(
  at: StageRun,
  exception: string,
): Promise<{ readonly key: string | undefined; readonly amends: AwardId | undefined }> {
  const [row] = await at.run(REPLACED_KEY, [at.tenant, exception]);
  return {
    key: optional(row?.['award_key'], text),
    amends: optional(row?.['amends'], (key) => awardId(text(key))),
  };
}

export interface AwardStamp {
  readonly key: string;
  readonly payloadSha256: string;
  readonly mappingSha256: string | undefined;
  readonly ingestedAt: Instant;
  readonly replaces: string | undefined;
}

const STAMPS = sql('grants-stamps')`
select key, payload_sha256, mapping_sha256, ingested_at, replaces from grant_award
where tenant = $1 and key = any ($2::text[])`;

/** What the first record of an award's metadata was made of. */
export async function awardStamps(
  at: StageRun,
  keys: readonly string[],
): Promise<ReadonlyMap<string, AwardStamp>> {
  const rows = await at.run(STAMPS, [at.tenant, keys]);
  return new Map(
    rows.map((row) => [
      text(row['key']),
      {
        key: text(row['key']),
        payloadSha256: hex(row['payload_sha256']),
        mappingSha256: optional(row['mapping_sha256'], hex),
        ingestedAt: when(row['ingested_at']),
        replaces: optional(row['replaces'], text),
      },
    ]),
  );
}
