/** Reads a routing matrix. Shape here, by line; sense in check-matrix.ts, all faults at once. */
import { createHash } from 'node:crypto';
import { type LawNode, readLawDocument } from '../../../calendar/index.ts';
import { canonicalText, sha256Hex } from '../../../core/index.ts';
import { inFile, members } from '../access/index.ts';
import type { AssignmentTable } from './assignment.ts';
import type { MatrixNode, MatrixRow, RoutingMatrix, Target } from './matrix.ts';
import { DEFAULT_POLICY, type RoutingPolicy } from './policy.ts';
import { TIERS } from './tiers.ts';

const ANY = '*';

export function readMatrix(source: {
  readonly file: string;
  readonly text: string;
}): RoutingMatrix {
  return inFile('ROUTING_MATRIX_INVALID', () => {
    const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
    root.object(
      ['kind', 'format', 'title', 'targets', 'nodes', 'routes', 'privileged'],
      ['notes', 'policy', 'assignment'],
    );
    root.field('kind').oneOf(['routing-matrix']);
    root.field('format').integer({ min: 1, max: 1 });
    return {
      title: root.field('title').text(),
      version: versionOf(root),
      targets: new Map(members(root.field('targets')).map(([id, node]) => [id, target(id, node)])),
      nodes: new Map(members(root.field('nodes')).map(([id, node]) => [id, matrixNode(id, node)])),
      rows: root.field('routes').items().map(row),
      privileged: root
        .field('privileged')
        .items()
        .map((node) => node.text()),
      assignment: root.optional('assignment')?.items().map(assignmentTable) ?? [],
      policy: policy(root.optional('policy')),
    };
  });
}

/** Numbers may be fractions in no field, so the ledger's own profile of canonical JSON fits. */
function versionOf(root: LawNode): RoutingMatrix['version'] {
  return sha256Hex(createHash('sha256').update(canonicalText(root.value)).digest('hex'));
}

function target(id: string, node: LawNode): Target {
  node.object(['kind', 'address', 'party'], ['confirmed_by']);
  const kind = node.field('kind').oneOf(['http', 'mail', 'rabbitmq']);
  const stated = node.optional('confirmed_by')?.oneOf(['delivery', 'person']);
  if (kind === 'mail' && stated === 'delivery') {
    node.refuse('an accepted e-mail is only sent; a person must confirm it');
  }
  return {
    id,
    kind,
    address: node.field('address').text(),
    party: node.field('party').text(),
    confirmedBy: stated ?? (kind === 'mail' ? 'person' : 'delivery'),
  };
}

function matrixNode(id: string, node: LawNode): MatrixNode {
  node.object(['tier', 'target'], ['next']);
  return {
    id,
    tier: node.field('tier').oneOf(TIERS),
    target: node.field('target').text(),
    next: (node.optional('next')?.items() ?? []).map((item) => item.text()),
  };
}

function row(node: LawNode): MatrixRow {
  node.object(['client', 'technology_group', 'event', 'start']);
  return {
    client: orAny(node.field('client')),
    technologyGroup: orAny(node.field('technology_group')),
    event: orAny(node.field('event')),
    start: node.field('start').text(),
  };
}

function orAny(node: LawNode): string | undefined {
  const text = node.text();
  return text === ANY ? undefined : text;
}

const REFERENCE = /^(env:[A-Za-z_]\w*|file:\/[^\p{Cc}]+)$/u;

function assignmentTable(node: LawNode): AssignmentTable {
  node.object(['client', 'technology_group', 'url'], ['credential']);
  const url = node.field('url');
  if (!isAddress(url.text())) {
    url.refuse(
      'an address such as https://assignments.example/table was expected, no password in it',
    );
  }
  const credential = node.optional('credential');
  if (credential !== undefined && !REFERENCE.test(credential.text())) {
    // Not repeated: what is no reference may be the secret itself.
    credential.refuse(
      'a reference was expected: env:NAME or file:/path; a matrix holds no secrets',
    );
  }
  return {
    client: orAny(node.field('client')),
    technologyGroup: orAny(node.field('technology_group')),
    url: url.text(),
    credential: credential?.text(),
  };
}

function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && url.hash === '';
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The bounds keep a typing mistake (seconds for milliseconds) from switching a promise off. */
function policy(node: LawNode | undefined): RoutingPolicy {
  if (node === undefined) return DEFAULT_POLICY;
  node.object(
    [],
    [
      'timeout_ms',
      'attempts_per_tier',
      'breaker_failures',
      'breaker_cool_down_ms',
      'tls_handshake_ms_max',
      'backlog_max',
      'lag_ms_max',
      'confirm_ms',
      'confirm_ms_min',
      'working_day',
      'manual_clock_ms',
      'reserve_ms',
    ],
  );
  const whole = (name: string, otherwise: number, min: number, max: number): number =>
    node.optional(name)?.integer({ min, max }) ?? otherwise;
  const base = DEFAULT_POLICY;
  const timeoutMs = whole('timeout_ms', base.timeoutMs, 100, 60 * SECOND_MS);
  const { thresholds } = base;
  // Where nothing is said of the handshake, a shorter time-out is its limit too.
  const handshakeMs = Math.min(thresholds.tlsHandshakeMsMax, timeoutMs);
  const tlsHandshakeMsMax = whole('tls_handshake_ms_max', handshakeMs, 100, 60 * SECOND_MS);
  return {
    ...base,
    timeoutMs,
    // With the longer of the two phases before the request, so that a handshake within its limit is never cut off.
    outcomeMsMax:
      base.outcomeMsMax - 2 * base.timeoutMs + timeoutMs + Math.max(timeoutMs, tlsHandshakeMsMax),
    thresholds: {
      tlsHandshakeMsMax,
      backlogMax: whole('backlog_max', thresholds.backlogMax, 1, 1_000_000),
      lagMsMax: whole('lag_ms_max', thresholds.lagMsMax, SECOND_MS, HOUR_MS),
    },
    attemptsPerTier: whole('attempts_per_tier', base.attemptsPerTier, 1, 10),
    breaker: {
      ...base.breaker,
      failures: whole('breaker_failures', base.breaker.failures, 1, 100),
      coolDownMs: whole('breaker_cool_down_ms', base.breaker.coolDownMs, SECOND_MS, HOUR_MS),
    },
    confirmMs: confirmMs(node.optional('confirm_ms')),
    confirmMsMin: whole('confirm_ms_min', base.confirmMsMin, SECOND_MS, HOUR_MS),
    workingDay: workingDay(node.optional('working_day')),
    manualClockMs: whole('manual_clock_ms', base.manualClockMs, 60 * SECOND_MS, 2 * HOUR_MS),
    reserveMs: whole('reserve_ms', base.reserveMs, HOUR_MS, 30 * DAY_MS),
  };
}

function confirmMs(node: LawNode | undefined): RoutingPolicy['confirmMs'] {
  if (node === undefined) return DEFAULT_POLICY.confirmMs;
  node.object(['PRIMARY', 'SECONDARY', 'TERTIARY']);
  const of = (name: string): number =>
    node.field(name).integer({ min: 60 * SECOND_MS, max: 10 * DAY_MS });
  return { PRIMARY: of('PRIMARY'), SECONDARY: of('SECONDARY'), TERTIARY: of('TERTIARY') };
}

const CLOCK = /^([01]\d|2[0-4]):([0-5]\d)$/;

function workingDay(node: LawNode | undefined): RoutingPolicy['workingDay'] {
  if (node === undefined) return DEFAULT_POLICY.workingDay;
  node.object(['from', 'to']);
  const minutes = (name: string): number => {
    const match = CLOCK.exec(node.field(name).text());
    if (match === null) return node.field(name).refuse('a time of day such as 09:00 was expected');
    return Number(match[1]) * 60 + Number(match[2]);
  };
  const span = { fromMinute: minutes('from'), toMinute: minutes('to') };
  if (span.toMinute <= span.fromMinute || span.toMinute > 24 * 60) {
    node.refuse('"to" must be later than "from", on the same day');
  }
  return span;
}
