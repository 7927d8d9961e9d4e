/**
 * Why a batch does not go as it should, from what was recorded: sessions, blocks, payloads, conflicts. Nothing here shows
 * a name, a value or a token: tokens are told apart by a piece of their hash, and texts are masked.
 */
import { noteOpened } from '../../people/index.ts';
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type Instant,
  type JsonValue,
  parseStrictJson,
  plain,
  pointer,
  type SealedPayload,
  toRfc3339,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  type DiagnosedAttempt,
  diagnosedAttempts,
  type DiagnosedLaneEvent,
  diagnosedLaneEvents,
  type DiagnosedScope,
  diagnosedScope,
} from '../store/diagnose.ts';

/** Listed one by one; the counts go on beyond it. */
export const LISTED_MAX = 1_000;
/** A response is kept up to 8 MiB and stands in its record as base64. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;
/** A stamp is a number or a date; whatever is longer is not shown. */
const STAMP_CHARACTERS_MAX = 100;

export interface Diagnosis {
  readonly scope: Pick<DiagnosedScope, 'kind' | 'id' | 'lanes'>;
}

export interface BlocksDiagnosis extends Diagnosis {
  readonly lanes: readonly {
    readonly lane: string;
    readonly throttles: number;
    readonly captchaMarks: number;
    readonly pauses: number;
    /** Without a stamp the lane waits by its own rule. */
    readonly withoutStamp: number;
  }[];
  readonly throttles: readonly {
    readonly at: string;
    readonly lane: string;
    readonly filing: string;
    readonly attempt: number;
    readonly code: string;
    readonly status: number | null;
    readonly captcha: boolean;
    /** As the portal wrote it. */
    readonly retryAfter: string | null;
    readonly rateLimitReset: string | null;
  }[];
  readonly events: readonly DiagnosedLaneEvent[];
  readonly unlisted: number;
}

export interface ConflictsDiagnosis extends Diagnosis {
  readonly conflicts: readonly {
    readonly at: string;
    readonly lane: string;
    readonly filing: string;
    readonly attempt: number;
    /** The status queries that followed under the same key, in order; the last one decided. */
    readonly asked: readonly {
      readonly at: string;
      readonly attempt: number;
      readonly answer: string;
      readonly code: string;
    }[];
    /** What was sent after the conflict before the portal was asked: anything here is a fault of ours. */
    readonly before: readonly string[];
  }[];
  /** By the answer of the last status query. */
  readonly answers: Readonly<Record<string, number>>;
  readonly unlisted: number;
}

/** Throttles with their stamps, CAPTCHA marks, and the pauses that followed. */
export async function diagnoseBlocks(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<BlocksDiagnosis> {
  allow(actor, 'diagnose.blocks');
  const scope = await diagnosedScope(app.session, app.tenant, name);
  await noteOpened(app, actor, 'diagnose.blocks', scope.id);
  const counts = new Map(
    scope.lanes.map((lane) => [lane, { throttles: 0, captchaMarks: 0, withoutStamp: 0 }]),
  );
  const throttles: BlocksDiagnosis['throttles'][number][] = [];
  let unlisted = 0;
  const verdicts = ['throttled', 'status_throttled'];
  for await (const attempt of diagnosedAttempts(app.session, app.tenant, scope, verdicts)) {
    const answer = answerOf(openedRecord(app, attempt.sealed));
    const header = (place: string): string | null => plainText(pointer(answer, place));
    const [retryAfter, reset] = [
      header('/headers/retry-after'),
      header('/headers/x-ratelimit-reset'),
    ];
    const captcha = attempt.code === 'CAPTCHA';
    const count = counts.get(attempt.lane);
    if (count !== undefined) {
      count.throttles += 1;
      if (captcha) count.captchaMarks += 1;
      if (retryAfter === null && reset === null) count.withoutStamp += 1;
    }
    if (throttles.length >= LISTED_MAX) unlisted += 1;
    else {
      const status = pointer(answer, '/status');
      throttles.push({
        ...placeOf(attempt),
        code: attempt.code,
        status: typeof status === 'number' ? status : null,
        captcha,
        retryAfter,
        rateLimitReset: reset,
      });
    }
  }
  const events = await diagnosedLaneEvents(app.session, app.tenant, scope);
  const lanes = [...counts].map(([lane, count]) => ({
    lane,
    ...count,
    pauses: events.filter((event) => event.lane === lane && event.type === 'lane.paused').length,
  }));
  throttles.sort((a, b) => (a.at < b.at ? -1 : 1));
  return { scope: publicScope(scope), lanes, throttles, events, unlisted };
}

/** Every 409 with the status query that followed it. */
export async function diagnoseConflicts(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<ConflictsDiagnosis> {
  allow(actor, 'diagnose.conflicts');
  const scope = await diagnosedScope(app.session, app.tenant, name);
  const conflicts: ConflictsDiagnosis['conflicts'][number][] = [];
  const answers: Record<string, number> = {};
  let unlisted = 0;
  let open: { -readonly [K in keyof (typeof conflicts)[number]]: (typeof conflicts)[number][K] }[] =
    [];
  const close = (): void => {
    for (const conflict of open) {
      const answer = conflict.asked.at(-1)?.answer ?? 'not asked yet';
      answers[answer] = (answers[answer] ?? 0) + 1;
      if (conflicts.length < LISTED_MAX) conflicts.push(conflict);
      else unlisted += 1;
    }
    open = [];
  };
  for await (const attempt of diagnosedAttempts(app.session, app.tenant, scope)) {
    if (!attempt.counted) continue;
    if (open[0] !== undefined && open[0].filing !== attempt.filing) close();
    const [latest] = open.slice(-1);
    if (latest !== undefined && (attempt.action === 'ask' || attempt.action === 'poll')) {
      const answer = attempt.verdict.replace(/^status_/, '');
      const query = { at: toRfc3339(attempt.at), attempt: attempt.attempt, answer };
      // Given back unsent: the portal was not asked.
      if (answer !== 'unsent') latest.asked = [...latest.asked, { ...query, code: attempt.code }];
    } else if (latest !== undefined && latest.asked.length === 0 && attempt.verdict !== 'unsent') {
      latest.before = [...latest.before, `attempt ${attempt.attempt}: ${attempt.action}`];
    }
    if (attempt.verdict === 'conflict') {
      open.push({ ...placeOf(attempt), asked: [], before: [] });
    }
  }
  close();
  return { scope: publicScope(scope), conflicts, answers, unlisted };
}

export function placeOf(attempt: DiagnosedAttempt): {
  readonly at: string;
  readonly lane: string;
  readonly filing: string;
  readonly attempt: number;
} {
  const { lane, filing } = attempt;
  return { at: toRfc3339(attempt.at), lane, filing, attempt: attempt.attempt };
}

export function publicScope({ kind, id, lanes }: DiagnosedScope): Diagnosis['scope'] {
  return { kind, id, lanes };
}

/** The recorded exchange; undefined where none was recorded, or its key was destroyed. */
export function openedRecord(
  app: Installation,
  sealed: SealedPayload | undefined,
): JsonValue | undefined {
  if (sealed === undefined) return undefined;
  try {
    return parseStrictJson(app.vault.open(sealed), { bytesMax: RECORD_BYTES_MAX });
  } catch (error) {
    // One that cannot be opened must not hide the others.
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
}

/** The answer itself, or the page that stopped an exchange before the filing was posted. */
export function answerOf(record: JsonValue | undefined): unknown {
  return pointer(record, '/kind') === 'failure' ? pointer(record, '/answer') : record;
}

/** When the exchange began, as far as the record tells. */
export function beganAt(attempt: DiagnosedAttempt, record: JsonValue | undefined): Instant {
  const elapsedMs = pointer(record, '/elapsed_ms');
  // Both are milliseconds; the difference is one again.
  return (attempt.at - (typeof elapsedMs === 'number' ? elapsedMs : 0)) as Instant;
}

/** A header's text, if it can be shown: a terminal must not be steered by what a portal sent. */
function plainText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return plain(value.slice(0, STAMP_CHARACTERS_MAX));
}
