/** The reckoning at the end: our record against the portals' truth, both ways. */
import { hash } from 'node:crypto';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import type { Profile } from '../../src/core/profile.ts';
import type { Truth } from '../../src/testing/simulator/truth.ts';
import { isSynthetic } from '../invariants/book.ts';
import type { Evidence } from './evidence.ts';
import type { Stage } from './stage.ts';
import { localOperator } from '../../src/access/actor.ts';

export interface Reckoning {
  readonly violations: readonly string[];
  readonly ends: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly ledgerEntries: number;
  readonly portals: readonly {
    readonly lane: string;
    readonly accepted: number;
    readonly inFlightMax: number;
    readonly ceiling: number;
    readonly repeats: number;
    readonly questions: number;
    readonly probes: number;
  }[];
}

interface FilingRow {
  readonly id: string;
  readonly key: string;
  readonly lane: string;
  readonly status: string;
  readonly receipt: string | null;
  readonly sha256: string;
  /** What a form could show of it. */
  readonly shown: Readonly<Record<string, string>>;
  readonly isHeld: boolean;
  readonly sends: number;
  readonly exceptions: number;
  readonly isUnsettled: boolean;
  readonly events: number;
}

const FILINGS = `
select f.id, e.key, f.lane, f.status, f.receipt, encode(e.payload_sha256, 'hex') as sha256,
  split_part(e.entity_id, ':', 2) as registry_number, e.filing_kind, e.period, f.holder is not null as held,
  (select count(*) from attempt a where a.tenant = f.tenant and a.filing = f.id and a.action in ('send', 'resend'))::int
    as sends,
  (select count(*) from exception x where x.tenant = f.tenant and x.filing = f.id)::int as exceptions,
  exists (select 1 from exception x where x.tenant = f.tenant and x.filing = f.id and x.unsettled is not null)
    as unsettled,
  coalesce(told.events, 0)::int as events
from filing f join envelope e on e.tenant = f.tenant and e.id = f.id
left join (
  select filing, count(*) as events from (
    select (body->>'filing')::uuid as filing, body->>'type' as type from work where tenant = $1 and kind = 'event'
    union all select filing, type from event where tenant = $1) all_events
  where type = 'COMPLIANCE_FILING_COMPLETE' group by filing) told on told.filing = f.id
where f.tenant = $1`;

/** Enough to see a pattern; the database is kept for the rest. */
const VIOLATIONS_SHOWN = 20;

/** What is reckoned; the delivery tests bring their own. */
export type Reckoned = Pick<Stage, 'app' | 'simulator' | 'profiles' | 'imported'> &
  Partial<Pick<Stage, 'nameOf'>>;

export async function reckon(stage: Reckoned, evidence: Evidence): Promise<Reckoning> {
  const { tenant } = stage.app;
  const filings = (await evidence.read(FILINGS, [tenant])).map(filingOf);
  const violations: string[] = [];
  const ends: Record<string, number> = {};
  if (filings.length !== stage.imported()) {
    violations.push(`${stage.imported()} filings were imported, ${filings.length} are there`);
  }
  const known = new Map(filings.map((filing) => [filing.key, filing]));
  for (const { code, ceiling } of stage.profiles) {
    violations.push(...judgePortal(stage.simulator.truth(code), ceiling, known));
  }
  const forms = new Map(stage.profiles.map(({ code, form }) => [code, form]));
  const sha256Of = (filing: FilingRow): string => {
    const form = forms.get(filing.lane);
    if (form === undefined) return filing.sha256;
    const entity_name = stage.nameOf?.(filing.shown['registry_number'] ?? '') ?? '';
    return formSha256({ ...filing.shown, entity_name }, form);
  };
  for (const filing of filings) {
    ends[filing.status] = (ends[filing.status] ?? 0) + 1;
    for (const broken of judge(filing, stage.simulator.truth(filing.lane), sha256Of(filing))) {
      violations.push(`${filing.lane} ${filing.key} (${filing.status}): ${broken}`);
    }
  }
  const shared = await evidence.count(
    `(select 1 from filing where tenant = $1 and status = 'accepted'
       group by lane, receipt having count(*) > 1) shared`,
    [tenant],
  );
  if (shared > 0) violations.push(`${shared} receipts stand for two filings`);
  const twice = await evidence.count(
    `(select 1 from outcome where counted and tenant = $1
       group by filing, no having count(*) > 1) twice`,
    [tenant],
  );
  if (twice > 0) violations.push(`${twice} attempts have two outcomes that count`);
  const ledger = await verifyLedger(stage.app, localOperator('chaos'), { bodies: true });
  for (const log of ledger.logs) {
    if (!log.ok) violations.push(`the ledger ${log.log} is broken at ${log.seq}: ${log.message}`);
  }
  if (ledger.waiting > 0) violations.push(`${ledger.waiting} facts never reached the ledger`);
  return {
    violations: violations.slice(0, VIOLATIONS_SHOWN),
    ends,
    attempts: await evidence.count('attempt where tenant = $1', [tenant]),
    ledgerEntries: ledger.logs.reduce((sum, log) => sum + log.entries, 0),
    portals: stage.profiles.map(({ code, ceiling }) => {
      const { accepted, inFlightMax, repeats, requests } = stage.simulator.truth(code).summary();
      const { status: questions, health: probes } = requests;
      return { lane: code, accepted, inFlightMax, ceiling, repeats, questions, probes };
    }),
  };
}

/** What the portal takes from a form: its fields in their order, those that the filing does not have as empty texts. */
function formSha256(
  shown: Readonly<Record<string, string>>,
  form: NonNullable<Profile['form']>,
): string {
  const taken: Record<string, unknown> = {};
  for (const field of form.fields) {
    if (!('at' in field)) continue;
    const [name = '', own] = field.at.split('/').slice(1);
    taken[name] = own === undefined ? shown[name] : { [own]: '' };
  }
  return hash('sha256', JSON.stringify(taken), 'hex');
}

function* judge(filing: FilingRow, truth: Truth, wanted: string): Generator<string> {
  const submission = truth.find(filing.key);
  const taken = submission?.acceptances ?? [];
  const received = submission?.received ?? 0;
  switch (filing.status) {
    case 'accepted':
      if (taken.length === 0) yield 'the portal never accepted it';
      if (taken.length > 0 && taken[0]?.receipt !== filing.receipt) {
        yield `receipt ${filing.receipt}, the portal gave ${taken[0]?.receipt}`;
      }
      if (filing.events !== 1) yield `${filing.events} events instead of one`;
      break;
    case 'rejected':
    case 'fallout':
      if (taken.length > 0 && !(filing.status === 'fallout' && filing.isUnsettled)) {
        yield 'the portal accepted it, and nobody is told that it may have';
      }
      if (filing.exceptions !== 1) yield `${filing.exceptions} exceptions instead of one`;
      if (filing.events !== 0) yield `${filing.events} events of completion`;
      break;
    default:
      yield 'it is in no end state';
  }
  if (taken.length > 1) yield `accepted ${taken.length} times`;
  if (taken.some(({ sha256 }) => sha256 !== wanted)) yield 'another payload was filed';
  if (received > filing.sends) yield `sent ${received} times with ${filing.sends} intents`;
  if (filing.isHeld) yield 'somebody still holds it';
}

function* judgePortal(
  truth: Truth,
  ceiling: number,
  known: ReadonlyMap<string, FilingRow>,
): Generator<string> {
  const { lane, inFlightMax, arrivedOverCeiling, keysAcceptedTwice } = truth.summary();
  if (keysAcceptedTwice > 0) yield `${lane}: ${keysAcceptedTwice} filings were accepted twice`;
  if (inFlightMax > ceiling) yield `${lane}: ${inFlightMax} in flight, the ceiling is ${ceiling}`;
  if (arrivedOverCeiling > 0) yield `${lane}: ${arrivedOverCeiling} came over the ceiling`;
  for (const { key } of truth.accepted()) {
    if (!known.has(key) && !isSynthetic(key))
      yield `${lane}: ${key} was accepted, and we have no such filing`;
  }
}

function filingOf(row: Readonly<Record<string, unknown>>): FilingRow {
  return {
    id: String(row['id']),
    key: String(row['key']),
    lane: String(row['lane']),
    status: String(row['status']),
    receipt: typeof row['receipt'] === 'string' ? row['receipt'] : null,
    sha256: String(row['sha256']),
    shown: {
      registry_number: String(row['registry_number']),
      filing_kind: String(row['filing_kind']),
      period: String(row['period']),
    },
    isHeld: row['held'] === true,
    sends: Number(row['sends']),
    exceptions: Number(row['exceptions']),
    isUnsettled: row['unsettled'] === true,
    events: Number(row['events']),
  };
}
