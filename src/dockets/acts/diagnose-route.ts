/**
 * Why a docket is where it is: what each attempt met, how long each target's connection takes now, whether the record
 * still has its schema, and who may see it. Only for who may see the docket, and redacted all the same: no payload, no
 * address behind a secret, no header that could hold one.
 */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  type BreakerState,
  FilewrightError,
  type Instant,
  type JsonValue,
  parseStrictJson,
} from '../../core/index.ts';
import { isVerbose, redact, redactUrl, type TransportRecord } from '../../people/index.ts';
import { type DocketReading, readDocketRow } from '../rules/docket/read-row.ts';
import { sayDrift } from '../rules/docket/drift.ts';
import { assignedMatrix } from '../rules/routing/assignment.ts';
import { breakerOf, type Breakers } from '../rules/routing/breakers.ts';
import { type Route, routeOf } from '../rules/routing/route-of.ts';
import type { Target } from '../rules/routing/matrix.ts';
import { type Trigger, triggersOf, type TriggerThresholds } from '../rules/routing/triggers.ts';
import type { DocketDetail } from '../routing/views.ts';
import { listBreakers } from '../routing/recovery-acts.ts';
import { loadRouting } from '../routing/setup.ts';
import type { HandoffView } from '../store/handoffs.ts';
import {
  type AllowedPrivate,
  ConnectionFailure,
  openConnection,
  targetOf,
} from '../../wire/index.ts';
import { showDocket } from './dockets.ts';
import { routingDeps } from './deps.ts';
import { openVerbose, VerboseFiles } from './verbose.ts';

export interface RouteDiagnosis {
  readonly docket: string;
  readonly standing: string;
  readonly transport: readonly Readonly<Record<string, JsonValue>>[];
  readonly targets: readonly TargetCheck[];
  readonly schema: {
    readonly kind: DocketReading['kind'] | 'table' | 'unreadable';
    readonly findings: readonly string[];
  };
  readonly permissions: readonly PermissionCheck[];
  /** Of each target that is or was logged verbosely: until when, and the newest lines. */
  readonly verbose: readonly {
    readonly target: string;
    readonly until: Instant | undefined;
    readonly lines: readonly JsonValue[];
  }[];
}

interface TargetCheck {
  readonly target: string;
  readonly kind: Target['kind'];
  readonly tier: string;
  readonly address: string;
  readonly breaker: BreakerState['state'];
  /** Undefined where nothing is dialled: a mailbox and a queue are behind servers of their own. */
  readonly connection:
    | {
        readonly result: 'open' | 'failed';
        readonly code: string | undefined;
        readonly connectMs: number | undefined;
        readonly tlsHandshakeMs: number | undefined;
      }
    | undefined;
  readonly triggers: readonly Trigger[];
}

interface PermissionCheck {
  readonly tier: string;
  readonly target: string;
  readonly party: string | undefined;
  readonly verdict: 'may' | 'no_right' | 'absent' | 'no_target';
  readonly why: string | undefined;
}

/** So much longer than the threshold is waited, so that what is too slow is measured and not cut off at the line. */
const MEASURED_MS_MORE = 500;

export async function diagnoseRoute(
  app: Installation,
  person: Actor,
  id: string,
  options: {
    readonly allowPrivate: AllowedPrivate;
    /** Opens a window of verbose logging for the targets of this docket. */
    readonly verboseMs?: number;
  },
): Promise<RouteDiagnosis> {
  allow(person, 'diagnose.route');
  const detail = await showDocket(app, person, id);
  const { matrix, people } = await loadRouting(app);
  const now = app.clock.now();
  const route = routeOf(detail.docket, assignedMatrix(matrix, detail.assignedTo), people, now);
  const targets = await checkTargets(app, route, {
    thresholds: matrix.policy.thresholds,
    allowPrivate: options.allowPrivate,
  });
  const names = [...new Set(targets.map(({ target }) => target))];
  const { verboseMs: forMs } = options;
  if (forMs !== undefined) await openVerbose(app, { targets: names, by: person.name, forMs });
  return {
    docket: detail.docket.id,
    standing: detail.standing,
    transport: detail.handoffs.map((handoff) => redact(recordOf(handoff))),
    targets,
    schema: schemaOf(detail),
    permissions: permissionsOf(route),
    verbose: await verboseOf(app, names, detail.docket.messageId),
  };
}

async function checkTargets(
  app: Installation,
  { tiers }: Route,
  options: { readonly thresholds: TriggerThresholds; readonly allowPrivate: AllowedPrivate },
): Promise<readonly TargetCheck[]> {
  const { thresholds, allowPrivate } = options;
  const limitMs = thresholds.tlsHandshakeMsMax + MEASURED_MS_MORE;
  const breakers: Breakers = new Map(
    (await listBreakers(routingDeps(app))).map(({ target, breaker }) => [target, breaker]),
  );
  const targets: TargetCheck[] = [];
  for (const { tier, candidates } of tiers) {
    for (const { target } of candidates) {
      const timing = await timingOf(app, target, { limitMs, allowPrivate });
      const handshakeMs = timing?.tlsHandshakeMs;
      targets.push({
        target: target.id,
        kind: target.kind,
        tier,
        address: addressOf(target),
        breaker: breakerOf(breakers, target.id).state,
        connection: timing,
        triggers:
          handshakeMs === undefined
            ? []
            : triggersOf({ kind: 'tls', target: target.id, handshakeMs }, thresholds),
      });
    }
  }
  return targets;
}

function permissionsOf({ tiers, skips }: Route): RouteDiagnosis['permissions'] {
  return [
    ...tiers.flatMap(({ tier, candidates }) =>
      candidates.map(({ hop }) => ({
        tier,
        target: hop.target,
        party: hop.party,
        verdict: 'may' as const,
        why: undefined,
      })),
    ),
    ...skips.map(({ tier, target, reason, why }) => ({
      tier,
      target,
      party: undefined,
      verdict: reason,
      why,
    })),
  ];
}

/** Only the lines about this docket: a target carries others, which the asker may have no right to. */
async function verboseOf(
  app: Installation,
  targets: readonly string[],
  messageId: string,
): Promise<RouteDiagnosis['verbose']> {
  const files = new VerboseFiles(app.dataDirectory);
  const found: RouteDiagnosis['verbose'][number][] = [];
  for (const target of targets) {
    const window = await files.read(target);
    const isOpen = isVerbose(window, app.clock.now());
    const lines = await files.lines(target, messageId);
    if (isOpen || lines.length > 0) {
      found.push({ target, until: isOpen ? window?.until : undefined, lines });
    }
  }
  return found;
}

async function timingOf(
  app: Installation,
  target: Target,
  how: { readonly limitMs: number; readonly allowPrivate: AllowedPrivate },
): Promise<TargetCheck['connection']> {
  if (target.kind !== 'http' || !URL.canParse(target.address)) return undefined;
  const opened = await openConnection(targetOf(new URL(target.address)), {
    allowPrivateAddresses: how.allowPrivate,
    connectMsMax: how.limitMs,
    tlsHandshakeMsMax: how.limitMs,
    monotonicMs: () => app.clock.monotonicMs(),
  });
  const isFailed = opened instanceof ConnectionFailure;
  if (!isFailed) opened.socket.destroy();
  return {
    result: isFailed ? 'failed' : 'open',
    code: isFailed ? opened.failure : undefined,
    connectMs: wholeMs(opened.times.connectMs),
    tlsHandshakeMs: wholeMs(opened.times.tlsHandshakeMs),
  };
}

function wholeMs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}

/** A URL without its secrets; of a mailbox only the house; a queue by its name. */
function addressOf({ kind, address }: Target): string {
  if (kind === 'http') return redactUrl(address);
  return kind === 'mail' ? address.replace(/^.*@/, '…@') : address;
}

function recordOf(handoff: HandoffView): TransportRecord {
  const { tier, attempt, reason, startedAt, ended } = handoff;
  const noted = handoff.evidence;
  // Written as an object with the outcome; undefined until then.
  const evidence = Object(noted) as Readonly<Record<string, JsonValue>>;
  return {
    target: handoff.target,
    at: startedAt,
    direction: 'out',
    evidence: {
      tier,
      attempt,
      ...(reason === undefined ? {} : { reason }),
      ...(ended === undefined
        ? {}
        : { outcome: ended.outcome, endedAt: ended.at satisfies Instant }),
      ...evidence,
    },
  };
}

/** The record read again: by field and shape, never by value. */
function schemaOf({ payload, contentType }: DocketDetail): RouteDiagnosis['schema'] {
  if (payload === undefined) {
    return { kind: 'unreadable', findings: ['the key of the payload was destroyed'] };
  }
  if (!contentType.startsWith('application/json')) {
    return { kind: 'table', findings: ['a row of a table; its schema was checked at import'] };
  }
  const row = objectIn(payload);
  if (row === undefined) return { kind: 'unreadable', findings: ['it is not a JSON object'] };
  const reading = readDocketRow(row);
  switch (reading.kind) {
    case 'event':
      return {
        kind: 'event',
        findings: reading.unknown.map((name) => `${name}: not a field of a docket event`),
      };
    case 'drift':
      return {
        kind: 'drift',
        findings: reading.changes.map((change) => `${change.field}: ${sayDrift(change)}`),
      };
    case 'refused':
      // Without the reason, which may quote the value.
      return {
        kind: 'refused',
        findings: reading.errors.map(({ where }) => `${where}: wrong value`),
      };
  }
}

function objectIn(payload: Uint8Array): Readonly<Record<string, JsonValue>> | undefined {
  try {
    const value = parseStrictJson(payload);
    // Neither null nor a list: a plain object of the strict reader.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, JsonValue>>)
      : undefined;
  } catch (error) {
    if (error instanceof FilewrightError) return undefined;
    throw error;
  }
}
