/** The queue of what people file by hand, and taking a filing out of it for a time. */
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type Instant,
  type PersonId,
  ruledOut,
  shownTime,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { lanes, requireLane } from '../../lanes/index.ts';
import type { Run } from '../../postgres/index.ts';
import { decideHand, type HandDecision, type HandState, handState } from '../rules/hand.ts';
import type { FilingView } from '../store/filings.ts';
import {
  countByHand,
  type HandCounts,
  type HandFiling,
  listByHand,
  lockInHand,
  namedFiling,
  nextFree,
  renew,
  take,
} from '../store/hand.ts';

export interface ListedByHand {
  readonly filing: FilingView;
  readonly state: HandState;
  /** By the database's clock, as everything about who has what. */
  readonly slackMs: number;
  /** Of the office. */
  readonly zone: string;
}

interface HandQueue {
  readonly filings: readonly ListedByHand[];
  readonly counts: HandCounts;
}

/** The most urgent first. */
export async function listHand(
  app: Installation,
  actor: Actor,
  filter: {
    readonly lane?: string;
    readonly all?: boolean;
    readonly mine?: boolean;
    readonly limit: number;
  },
): Promise<HandQueue> {
  allow(actor, 'hand.list');
  const { lane, all, mine, limit } = filter;
  if (lane !== undefined) requireLane(await lanes(app), lane);
  const run: Run = (statement, values) => app.session.run(statement, values);
  const found = await listByHand(run, app.tenant, {
    limit,
    ...(lane === undefined ? {} : { lane }),
    ...(all === true ? { all } : {}),
    ...(mine === true && actor.kind === 'person' ? { by: actor.id } : {}),
  });
  const filings = found.map(({ filing, facts, zone }) => {
    return { filing, state: handState(facts), slackMs: filing.lastSafe - facts.now, zone };
  });
  return { filings, counts: await countByHand(run, app.tenant) };
}

interface Taken {
  readonly filing: FilingView;
  readonly until: Instant;
  /** Of the office. */
  readonly zone: string;
}

/**
 * A filing into this person's hands: the one that is named, or the most urgent that is free; undefined when none is. Committed
 * with its intent before the person is told. What it recorded is put into the log by whoever seals next: forty people would
 * otherwise wait for one another here.
 */
export async function takeFiling(
  app: Installation,
  actor: Actor,
  which: { readonly name: string } | { readonly lane: string | undefined },
): Promise<Taken | undefined> {
  allow(actor, 'hand.take');
  const { session, tenant } = app;
  if ('lane' in which && which.lane !== undefined) requireLane(await lanes(app), which.lane);
  return session.transaction(async (run) => {
    const held =
      'name' in which
        ? await lockInHand(run, tenant, await namedFiling(run, tenant, which.name))
        : await nextFree(run, tenant, which.lane);
    if (held === undefined) return undefined;
    const decision = decideHand(held.facts, { kind: 'take', takeMs: takeMsOf(held) }, actor.party);
    if (decision.kind !== 'take') throw refusalOf(held, decision);
    const { attempt: no, until } = decision;
    const { filing, profileSha256, zone } = held;
    const fact = userFact(app, 'filing.intent', actor, {
      from: filing.status,
      to: 'submitted',
      action: 'file',
      attempt: no,
      lane: filing.lane,
      key: filing.key,
      payload_sha256: filing.payloadSha256,
      profile_sha256: profileSha256,
      until: toRfc3339(until),
    });
    await take(run, tenant, held, { no, by: actor.id, until, fact }).catch(notFree);
    return { filing: { ...filing, status: 'submitted', attempt: no } as const, until, zone };
  });
}

/** More time, from now; what was given is not taken back. */
export async function renewTaking(app: Installation, actor: Actor, name: string): Promise<Taken> {
  allow(actor, 'hand.renew');
  const { session, tenant } = app;
  return session.transaction(async (run) => {
    const held = await lockInHand(run, tenant, await namedFiling(run, tenant, name));
    const until = await renewHeld(run, tenant, held, actor.party);
    if (until.kind === 'renew') return { filing: held.filing, until: until.until, zone: held.zone };
    throw refusalOf(held, until);
  });
}

/** Of a filing that is locked; the decision says whether it was this party's to renew. */
export async function renewHeld(
  run: Run,
  tenant: string,
  held: HandFiling,
  party: PersonId,
): Promise<HandDecision> {
  const decision = decideHand(held.facts, { kind: 'renew', takeMs: takeMsOf(held) }, party);
  if (decision.kind === 'renew') {
    await renew(run, tenant, held.filing.id, { no: decision.attempt, until: decision.until });
  }
  return decision;
}

/** Of a lane that went back to a portal while somebody had a filing of it. */
const TAKE_MS = 30 * 60_000;

/** From the row: reading the whole profile costs more than all else that a taking does. */
function takeMsOf({ takeMs }: HandFiling): number {
  return takeMs ?? TAKE_MS;
}

export function refusalOf(
  { filing, facts, zone }: HandFiling,
  decision: HandDecision,
): FilewrightError {
  if (decision.kind !== 'refused') return ruledOut(`Filing ${filing.id} was not touched`);
  const state = handState(facts);
  const until =
    state.kind === 'taken' ? ` It is theirs until ${shownTime(state.until, zone)}.` : '';
  const proves =
    state.kind === 'look'
      ? ` A look proves something from ${shownTime(state.provesFrom, zone)} on.`
      : '';
  const from =
    state.kind === 'early' ? ` It may be filed from ${shownTime(state.from, zone)} on.` : '';
  return new FilewrightError(
    decision.code,
    `Filing ${filing.id}: ${decision.why}${/[.]$/.test(decision.why) ? '' : '.'}${until}${proves}${from}`,
  );
}

/** Its time came between the look and the row: an approval may end at this very moment. */
function notFree(error: unknown): never {
  const { constraint } = Object(error) as { readonly constraint?: string };
  if (constraint !== 'taking_free' && constraint !== 'taking_one_at_a_time') throw error;
  throw ruledOut(
    'The filing is no longer free, or this installation is in quarantine; see hand list and audit quarantine',
    { cause: error },
  );
}
