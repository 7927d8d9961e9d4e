import type { Command } from '../command.ts';
import {
  type BlocksDiagnosis,
  type ConflictsDiagnosis,
  diagnoseBlocks,
  diagnoseConflicts,
  type DiagnosedLaneEvent,
  diagnosePayload,
  diagnoseSessions,
  type PayloadDiagnosis,
  type SessionsDiagnosis,
} from '../../filings/index.ts';
import type { Actor } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { span, table } from '../output.ts';
import { addDiagnoseRoute } from './diagnose-route.ts';

export function addCommands(diagnose: Command): void {
  const add = <T extends object>(
    name: string,
    description: string,
    act: (app: Filewright, actor: Actor, scope: string) => Promise<T>,
    show: (found: T) => string,
  ): void => {
    diagnose
      .command(`${name} <batch-or-filing>`)
      .description(description)
      .inApp(async ({ app, out, actor }, scope: string) => {
        const found = await act(app, actor, scope);
        out.result(`diagnose ${name}`, found, () => show(found));
      });
  };
  add(
    'sessions',
    'session tokens: reuse, collisions, new sessions, idle times',
    diagnoseSessions,
    sessionsText,
  );
  add('blocks', 'throttling with retry times, CAPTCHAs, pauses', diagnoseBlocks, blocksText);
  add(
    'payload',
    'refused payloads: control characters, lengths, hash; masked',
    diagnosePayload,
    payloadText,
  );
  add(
    'conflicts',
    'every 409 with the status query that followed',
    diagnoseConflicts,
    conflictsText,
  );
  addDiagnoseRoute(diagnose);
}

function sessionsText(found: SessionsDiagnosis): string {
  const lanes = table(
    [
      'lane',
      'session per',
      'idle limit',
      'exchanges',
      'tokens',
      'reused',
      'after idle',
      'failures',
    ],
    found.lanes.map((lane) => [
      lane.lane,
      lane.session ?? 'none declared',
      lane.idleMs === null ? '-' : span(lane.idleMs),
      lane.exchanges,
      lane.tokens,
      lane.reused,
      lane.afterIdle,
      countsText(lane.failures),
    ]),
  );
  const collisions = found.collisions.map(({ kind, token, carrier, first, second }) =>
    kind === 'reported'
      ? `collision reported  ${placeText(second)}`
      : `collision ${kind}  token ${token} in ${carrier}: ${first === null ? '' : placeText(first)} and ${placeText(second)}`,
  );
  const quiet = collisions.length === 0 ? ['No token was seen in two places.'] : [];
  return [lanes, '', ...quiet, ...collisions, ...eventLines(found.events), ...rest(found)].join(
    '\n',
  );
}

function blocksText(found: BlocksDiagnosis): string {
  const lanes = table(
    ['lane', 'throttles', 'without a retry time', 'CAPTCHAs', 'pauses'],
    found.lanes.map((lane) => [
      lane.lane,
      lane.throttles,
      lane.withoutStamp,
      lane.captchaMarks,
      lane.pauses,
    ]),
  );
  const throttles = table(
    ['at', 'lane', 'filing', 'attempt', 'status', 'code', 'retry-after', 'x-ratelimit-reset'],
    found.throttles.map((each) => [
      each.at,
      each.lane,
      each.filing,
      each.attempt,
      each.status ?? '-',
      each.code,
      each.retryAfter ?? '',
      each.rateLimitReset ?? '',
    ]),
  );
  const none = found.throttles.length === 0;
  const listed = none ? ['Nothing was throttled.'] : [throttles];
  return [lanes, '', ...listed, '', ...eventLines(found.events), ...rest(found)].join('\n');
}

function payloadText(found: PayloadDiagnosis): string {
  const blocks = found.payloads.map((each) => {
    const hash = each.isAsFrozen
      ? `the bytes are the frozen ones (sha256 ${each.frozenSha256})`
      : `THE BYTES ARE NOT THE FROZEN ONES: frozen sha256 ${each.frozenSha256}, opened ${each.sentSha256 ?? 'unreadable'}`;
    const lines = [
      `${each.filing}  ${each.lane}  ${each.status}${each.code === null ? '' : ` (${each.code})`}`,
      `  ${each.bytes ?? '?'} bytes, ${hash}${each.sentAs === 'form' ? '; posted as form fields' : ''}`,
      ...each.complaints.map((complaint) => `  portal: ${complaint}`),
    ];
    if (each.findings.length === 0) lines.push('  nothing unusual in its text');
    for (const { code, field, note, dump } of each.findings) {
      lines.push(`  ${code} ${field}: ${note}`, ...dump.map((row) => `    ${row}`));
    }
    return lines.join('\n');
  });
  if (blocks.length === 0) return 'The portal refused no payload of this batch.';
  return [...blocks, ...rest(found)].join('\n\n');
}

function conflictsText(found: ConflictsDiagnosis): string {
  if (found.conflicts.length === 0) return 'No portal answered 409.';
  const rows = table(
    ['at', 'lane', 'filing', 'attempt', 'asked', 'answer', 'code', 'sent in between'],
    found.conflicts.map(({ asked, before, ...place }) => [
      place.at,
      place.lane,
      place.filing,
      place.attempt,
      asked.length === 0 ? 'not yet' : asked.map(({ at }) => at).join(', '),
      asked.map(({ answer }) => answer).join(', '),
      asked.at(-1)?.code ?? '',
      before.join(', '),
    ]),
  );
  return [rows, '', `answers: ${countsText(found.answers)}`, ...rest(found)].join('\n');
}

function eventLines(events: readonly DiagnosedLaneEvent[]): string[] {
  return events.map(
    ({ at, lane, type, reason, until }) =>
      `${at}  ${lane}  ${type}${reason === undefined ? '' : ` (${reason})`}${until === undefined ? '' : ` until ${until}`}`,
  );
}

function placeText(place: { lane: string; filing: string; attempt: number; at: string }): string {
  return `${place.lane} ${place.filing} attempt ${place.attempt} at ${place.at}`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function rest({ unlisted }: { readonly unlisted: number }): string[] {
  return unlisted === 0 ? [] : [`... and ${unlisted} more`];
}
