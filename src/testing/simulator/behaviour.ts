import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { FilewrightError, parseStrictJson } from '../../core/index.ts';
import { type Endpoint, FAULT_KINDS, type FaultKind, FAULTS } from './faults.ts';

/** How one simulated portal behaves beyond what its profile says. */
export interface Behaviour {
  /** Same seed, same arrivals: same plans. */
  readonly seed: number;
  /** How long a request takes: uniform in mean ± spread. */
  readonly latencyMs: { readonly mean: number; readonly spread: number };
  /** Share of the endpoint's requests that meet the fault, 0 to 1. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Share of requests that meet some fault, spread evenly over every kind that a careful client can survive. */
  readonly mixRate: number;
  /** Faults at named requests; they go before the dice. */
  readonly schedule: readonly ScheduledFault[];
  readonly timings: Timings;
  /** How long after acceptance the status endpoint still says "not found". Default: what the profile claims. */
  readonly visibilityLagMs?: number;
  /** Above 0: a second submission of a key within this time of its acceptance is refused with 409. */
  readonly duplicateWindowMs: number;
  /** What happens when more requests than the profile's ceiling are in flight. */
  readonly overCeiling: 'counted' | 'blocked';
  readonly blockMs: number;
  readonly closedHours: 'page_503' | 'denied_403' | 'ignored';
  readonly health: 'good' | 'bad';
  /** `tracked`: a session cookie is issued, and tokens of other portals or in two requests at once are counted. */
  readonly sessions: 'none' | 'tracked';
  /** `html-form`: how long a session may be idle. Default: what the profile claims. */
  readonly sessionIdleMs?: number;
  /**
   * `shared` hands one token to everybody, `open` asks nobody to sign in, `refused` lets nobody in and shows the login again,
   * `turned_away` lets nobody in and shows a page without it, `ends_former` keeps one session for the account, the last
   * one, `error_500` breaks before it has looked at the password, `error_500_at_times` does so every third time, `hangs`
   * never shows its page, `hangs_after_post` shows it and then says nothing.
   */
  readonly login:
    | 'checked'
    | 'shared'
    | 'open'
    | 'refused'
    | 'turned_away'
    | 'ends_former'
    | 'error_500'
    | 'error_500_at_times'
    | 'hangs'
    | 'hangs_after_post';
  /** Whether a request without the profile's credential headers is refused. */
  readonly credentials: 'checked' | 'ignored';
  /** `changed` asks for one more field than the profile knows. */
  readonly form: 'as_profiled' | 'changed';
  /** `account` shows whoever asks for a confirmation the last one of the account, as portals without sessions do. */
  readonly confirmation: 'session' | 'account';
  /** `for_another` answers about another number than it was asked for. */
  readonly registry: 'as_asked' | 'for_another';
  /** Entity numbers of the right shape that the registry does not know. */
  readonly unknownEntities: readonly string[];
}

export interface Timings {
  /** From now to the moment that a throttling answer names. */
  readonly throttleMs: number;
  /** How long a 202 stays undecided. */
  readonly processingMs: number;
  /** `slow` answers after this. Default: past the profile's timeout, inside its longest service time. */
  readonly slowMs?: number;
  /** How long a silent portal holds a request. Default: as for `slowMs`. */
  readonly silenceMs?: number;
  /**
   * How long the portal works on after somebody in front of it has given up (5xx, 408, 429, a cut, half an answer). What
   * it takes, it takes at the end of that.
   */
  readonly worksOnMs: number;
  readonly dripEveryMs: number;
  readonly dripChunkBytes: number;
}

/** At the portal's nth request, or at a key: always, or at the nth time that key reaches that endpoint (from 1). */
export type ScheduledFault =
  | { readonly fault: FaultKind; readonly request: number }
  | { readonly fault: FaultKind; readonly key: string; readonly nth?: number };

/** Any part of a behaviour; what is left out keeps its value. */
export type BehaviourChange = Partial<Omit<Behaviour, 'timings'>> & {
  readonly timings?: Partial<Timings>;
};

/** `lanes['*']` holds for every lane; a lane's own entry goes over it. */
export interface BehaviourFile {
  readonly format: 1;
  readonly lanes: Readonly<Record<string, BehaviourChange>>;
}

export const DEFAULT_BEHAVIOUR: Behaviour = {
  seed: 1,
  latencyMs: { mean: 5, spread: 0 },
  faults: {},
  mixRate: 0,
  schedule: [],
  timings: {
    throttleMs: 2_000,
    processingMs: 1_000,
    worksOnMs: 0,
    dripEveryMs: 20,
    dripChunkBytes: 8,
  },
  duplicateWindowMs: 0,
  overCeiling: 'counted',
  blockMs: 10_000,
  closedHours: 'page_503',
  health: 'good',
  sessions: 'none',
  login: 'checked',
  credentials: 'checked',
  form: 'as_profiled',
  confirmation: 'session',
  registry: 'as_asked',
  unknownEntities: [],
};

// A schedule is written by hand or by a test; more than this is a mistake in whatever made it.
const SCHEDULE_MAX = 100_000;
// A day: longer latencies, pauses and windows than that are told by the profile, except the duplicate window.
const MS_MAX = 86_400_000;
const YEAR_MS = 366 * MS_MAX;

const closed = { additionalProperties: false } as const;
const ms = Type.Number({ minimum: 0, maximum: MS_MAX });
const rate = Type.Number({ minimum: 0, maximum: 1 });
const kind = Type.Enum([...FAULT_KINDS]);
const count = Type.Integer({ minimum: 1 });

export const BehaviourSchema = Type.Object(
  {
    seed: Type.Optional(Type.Integer()),
    latencyMs: Type.Optional(Type.Object({ mean: ms, spread: ms }, closed)),
    faults: Type.Optional(
      Type.Object(
        Object.fromEntries(FAULT_KINDS.map((name) => [name, Type.Optional(rate)])),
        closed,
      ),
    ),
    mixRate: Type.Optional(rate),
    schedule: Type.Optional(
      Type.Array(
        Type.Object(
          {
            fault: kind,
            request: Type.Optional(count),
            key: Type.Optional(Type.String({ minLength: 1 })),
            nth: Type.Optional(count),
          },
          closed,
        ),
        { maxItems: SCHEDULE_MAX },
      ),
    ),
    timings: Type.Optional(
      Type.Object(
        {
          throttleMs: Type.Optional(ms),
          processingMs: Type.Optional(ms),
          slowMs: Type.Optional(ms),
          silenceMs: Type.Optional(ms),
          worksOnMs: Type.Optional(ms),
          dripEveryMs: Type.Optional(ms),
          dripChunkBytes: Type.Optional(count),
        },
        closed,
      ),
    ),
    visibilityLagMs: Type.Optional(Type.Number({ minimum: 0, maximum: YEAR_MS })),
    duplicateWindowMs: Type.Optional(Type.Number({ minimum: 0, maximum: YEAR_MS })),
    overCeiling: Type.Optional(Type.Enum(['counted', 'blocked'])),
    blockMs: Type.Optional(ms),
    closedHours: Type.Optional(Type.Enum(['page_503', 'denied_403', 'ignored'])),
    health: Type.Optional(Type.Enum(['good', 'bad'])),
    sessions: Type.Optional(Type.Enum(['none', 'tracked'])),
    sessionIdleMs: Type.Optional(ms),
    login: Type.Optional(
      Type.Enum([
        'checked',
        'shared',
        'open',
        'refused',
        'turned_away',
        'ends_former',
        'error_500',
        'error_500_at_times',
        'hangs',
        'hangs_after_post',
      ]),
    ),
    credentials: Type.Optional(Type.Enum(['checked', 'ignored'])),
    form: Type.Optional(Type.Enum(['as_profiled', 'changed'])),
    confirmation: Type.Optional(Type.Enum(['session', 'account'])),
    registry: Type.Optional(Type.Enum(['as_asked', 'for_another'])),
    unknownEntities: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { maxItems: SCHEDULE_MAX }),
    ),
  },
  closed,
);

export const BehaviourFileSchema = Type.Object(
  { format: Type.Literal(1), lanes: Type.Record(Type.String(), BehaviourSchema) },
  closed,
);

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly FieldError[];
}

interface FieldError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/**
 * Reads the file of `filewright simulator --behavior`; errors name the field. `played`: the lanes that there are. A
 * behaviour of another one would be that of nobody, and its portal would behave well where it was told not to.
 */
export function readBehaviourFile(
  json: string | Uint8Array,
  played?: readonly string[],
): BehaviourFile {
  const value: unknown = parseStrictJson(json);
  check(Compile(BehaviourFileSchema), value);
  // Checked against the schema on the line above, which says the same as the type.
  const file = value as BehaviourFile;
  for (const [lane, change] of Object.entries(file.lanes)) {
    if (lane !== '*' && played?.includes(lane) === false) {
      throw invalid(`/lanes/${lane}`, `no profile of that code is played (${played.join(', ')})`);
    }
    checkMeaning(change, `/lanes/${lane}`);
  }
  return file;
}

/** Reads one change of behaviour, as `POST /_behaviour/<lane>` takes it. */
export function readBehaviourChange(json: string | Uint8Array): BehaviourChange {
  const value: unknown = parseStrictJson(json);
  check(Compile(BehaviourSchema), value);
  // Checked against the schema on the line above, which says the same as the type.
  const change = value as BehaviourChange;
  checkMeaning(change, '');
  return change;
}

/** The behaviour of one lane: defaults, then `*`, then the lane's own. */
export function behaviourFor(file: BehaviourFile, lane: string): Behaviour {
  const general = changeBehaviour(DEFAULT_BEHAVIOUR, file.lanes['*'] ?? {});
  return changeBehaviour(general, file.lanes[lane] ?? {});
}

/** Replaces the fields that are given; `timings` field by field. */
export function changeBehaviour(base: Behaviour, change: BehaviourChange): Behaviour {
  checkMeaning(change, '');
  return { ...base, ...change, timings: { ...base.timings, ...change.timings } };
}

function check(validator: Validator, value: unknown): void {
  if (validator.Check(value)) return;
  const error = validator.Errors(value)[0];
  const required =
    error?.keyword === 'required' ? Object.values(error.params).flat()[0] : undefined;
  const field = `${error?.instancePath ?? ''}${required === undefined ? '' : `/${String(required)}`}`;
  const reason =
    error?.keyword === 'boolean' ? 'there is no such field' : (error?.message ?? 'is not valid');
  throw invalid(field, reason);
}

/** What a schema cannot say. */
function checkMeaning(change: BehaviourChange, at: string): void {
  const sums: Partial<Record<Endpoint, number>> = {};
  for (const name of FAULT_KINDS) {
    const on = FAULTS[name].on;
    const sum = (sums[on] ?? 0) + (change.faults?.[name] ?? 0);
    // A little more than 1, because ten times 0.1 is.
    if (sum > 1 + 1e-9) throw invalid(`${at}/faults`, `the shares of ${on} add up to more than 1`);
    sums[on] = sum;
  }
  for (const [index, entry] of (change.schedule ?? []).entries()) {
    if ('request' in entry === 'key' in entry) {
      throw invalid(`${at}/schedule/${index}`, 'needs either request or key');
    }
    if ('request' in entry && 'nth' in entry) {
      throw invalid(`${at}/schedule/${index}`, 'nth goes with key, not with request');
    }
  }
}

function invalid(field: string, reason: string): FilewrightError {
  const place = field === '' ? 'the document itself' : field;
  return new FilewrightError(
    'PROFILE_INVALID',
    `Expected a simulator behavior, found a mistake at ${place}: ${reason}. Correct that field.`,
    { details: { field, reason } },
  );
}
