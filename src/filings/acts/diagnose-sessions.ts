/** Which session tokens were seen where: reuse, collisions, new sessions and the idle times before them. */
import { type Actor, allow } from '../../access/index.ts';
import { pointer, type Profile, sha256Of } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  diagnosedAttempts,
  type DiagnosedLaneEvent,
  diagnosedLaneEvents,
  diagnosedScope,
} from '../store/diagnose.ts';
import {
  answerOf,
  beganAt,
  type Diagnosis,
  LISTED_MAX,
  openedRecord,
  placeOf,
  publicScope,
} from './diagnose.ts';
import { profilesByLane } from '../../lanes/index.ts';
import { noteOpened } from '../../people/index.ts';

/** Portals of every kind use this name, so it is looked for whether or not a profile names it. */
const USUAL_TOKEN = 'x-session-token';
/** Enough of a hash to tell tokens apart, too little to try tokens against. */
const TOKEN_HEX = 12;
/** Tokens remembered; a batch has far fewer sessions. */
const TOKENS_MAX = 100_000;
/**
 * The time of an outcome is that of its commit, a few milliseconds after the answer. Two exchanges one after the other may
 * so seem to touch; those that were at once overlap by most of the shorter one.
 */
const OVERLAP_SHARE = 0.5;
const SESSION_CODES = new Set([
  'SESSION',
  'SESSION_COLLISION',
  'LOGIN_REFUSED',
  'LOGIN_PAGE',
  'HTTP_511',
]);

export interface SessionsDiagnosis extends Diagnosis {
  readonly lanes: readonly {
    readonly lane: string;
    /** `slot`: one filing at a time; `lane`: shared; null: the profile declares no session. */
    readonly session: 'slot' | 'lane' | null;
    readonly idleMs: number | null;
    readonly exchanges: number;
    readonly tokens: number;
    /** Answers that named a token already seen. */
    readonly reused: number;
    /** New tokens after the lane had been idle for longer than its sessions live: signed in anew. */
    readonly afterIdle: number;
    /** Attempts that ended because of a session, by code. */
    readonly failures: Readonly<Record<string, number>>;
  }[];
  readonly collisions: readonly {
    readonly kind: 'two_lanes' | 'two_filings' | 'reported';
    readonly token: string | null;
    readonly carrier: string | null;
    readonly first: ReturnType<typeof placeOf> | null;
    readonly second: ReturnType<typeof placeOf>;
  }[];
  readonly events: readonly DiagnosedLaneEvent[];
  readonly unlisted: number;
}

interface Seen {
  readonly place: ReturnType<typeof placeOf>;
  readonly from: number;
  readonly to: number;
}

export async function diagnoseSessions(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<SessionsDiagnosis> {
  allow(actor, 'diagnose.sessions');
  const scope = await diagnosedScope(app.session, app.tenant, name);
  await noteOpened(app, actor, 'diagnose.sessions', scope.id);
  const profiles = new Map<string, Profile>(await profilesByLane(app));
  const tally = new Map(scope.lanes.map((lane) => [lane, new LaneTally(profiles.get(lane))]));
  const seen = new Map<string, Seen[]>();
  const collisions: SessionsDiagnosis['collisions'][number][] = [];
  let unlisted = 0;
  const report = (collision: (typeof collisions)[number]): void => {
    if (collisions.length < LISTED_MAX) collisions.push(collision);
    else unlisted += 1;
  };
  for await (const attempt of diagnosedAttempts(app.session, app.tenant, scope)) {
    const lane = tally.get(attempt.lane);
    if (lane === undefined) continue;
    const record = openedRecord(app, attempt.sealed);
    if (record !== undefined) lane.exchanges += 1;
    const place = placeOf(attempt);
    if (SESSION_CODES.has(attempt.code)) lane.failed(attempt.code);
    if (attempt.code === 'SESSION_COLLISION') {
      report({ kind: 'reported', token: null, carrier: null, first: null, second: place });
    }
    for (const { carrier, token } of tokensIn(answerOf(record), profiles.get(attempt.lane))) {
      const now = { place, from: beganAt(attempt, record), to: attempt.at };
      const before = seen.get(token) ?? [];
      lane.tokens.push({ token, from: now.from });
      for (const other of before) {
        const kind = collisionOf(other, now, profiles.get(attempt.lane));
        if (kind !== undefined) report({ kind, token, carrier, first: other.place, second: place });
      }
      if (seen.size < TOKENS_MAX) seen.set(token, [...before, now]);
    }
  }
  const events = await diagnosedLaneEvents(app.session, app.tenant, scope);
  return {
    scope: publicScope(scope),
    lanes: [...tally].map(([lane, found]) => ({ lane, ...found.result() })),
    collisions,
    events: events.filter(({ reason }) => reason === 'collision'),
    unlisted,
  };
}

class LaneTally {
  exchanges = 0;
  readonly tokens: { readonly token: string; readonly from: number }[] = [];
  private readonly failures: Record<string, number> = {};
  private readonly profile: Profile | undefined;

  constructor(profile: Profile | undefined) {
    this.profile = profile;
  }

  failed(code: string): void {
    this.failures[code] = (this.failures[code] ?? 0) + 1;
  }

  result(): Omit<SessionsDiagnosis['lanes'][number], 'lane'> {
    const rule = this.profile?.session;
    // Filings are read one by one, sessions live across them: only the order of time tells which token was new.
    const inTime = this.tokens.toSorted((a, b) => a.from - b.from);
    const known = new Set<string>();
    let afterIdle = 0;
    let lastAt: number | undefined;
    for (const { token, from } of inTime) {
      const idleMs = lastAt === undefined ? 0 : from - lastAt;
      if (!known.has(token) && rule !== undefined && idleMs >= rule.idleMs) afterIdle += 1;
      known.add(token);
      lastAt = from;
    }
    return {
      session: rule?.scope ?? null,
      idleMs: rule?.idleMs ?? null,
      exchanges: this.exchanges,
      tokens: known.size,
      reused: inTime.length - known.size,
      afterIdle,
      failures: this.failures,
    };
  }
}

function collisionOf(
  one: Seen,
  other: Seen,
  profile: Profile | undefined,
): 'two_lanes' | 'two_filings' | undefined {
  if (one.place.lane !== other.place.lane) return 'two_lanes';
  if (profile?.session?.scope !== 'slot' || one.place.filing === other.place.filing)
    return undefined;
  const overlapMs = Math.min(one.to, other.to) - Math.max(one.from, other.from);
  const shorterMs = Math.min(one.to - one.from, other.to - other.from);
  return overlapMs > 0 && overlapMs >= shorterMs * OVERLAP_SHARE ? 'two_filings' : undefined;
}

function tokensIn(
  answer: unknown,
  profile: Profile | undefined,
): readonly { readonly carrier: string; readonly token: string }[] {
  const found: { carrier: string; token: string }[] = [];
  const add = (carrier: string, value: unknown): void => {
    if (typeof value !== 'string' || value === '') return;
    found.push({ carrier, token: sha256Of(value).slice(0, TOKEN_HEX) });
  };
  const headers = new Set([USUAL_TOKEN]);
  for (const name of profile?.session?.headers ?? []) headers.add(name.toLowerCase());
  for (const name of headers) add(name, pointer(answer, `/headers/${name}`));
  const cookies = pointer(answer, '/headers/set-cookie');
  if (typeof cookies === 'string') {
    // Repeated headers are joined by a comma and a space, as the dates inside of them are; a name and "=" begin a cookie.
    for (const name of profile?.session?.cookies ?? []) {
      const at = cookies.search(new RegExp(`(^|, )${escaped(name)}=`));
      const text =
        at < 0
          ? ''
          : cookies
              .slice(at)
              .replace(/^, /, '')
              .slice(name.length + 1);
      add(name, /^[^;,]*/.exec(text)?.[0]?.trim());
    }
  }
  return found;
}

function escaped(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '\\$&');
}
