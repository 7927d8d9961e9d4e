/** Exceptions and proposals for people: what they want to see first; the JSON form has everything. */
import {
  attemptWord,
  bodyOf,
  carriedBy,
  type OpenedProposal,
  type ReviewFile,
} from '../../filings/index.ts';
import { type JsonValue, plain, pointer } from '../../core/index.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

type Carried = ReturnType<typeof carriedBy>;

const PAYLOAD = {
  sent: 'payload as sent:',
  'by hand': 'payload, as it was filed by hand:',
  'never sent': 'payload, which was not sent:',
} as const;

/** Without the attempts at hand: only what was sent has an answer, or a failure in its place. */
function carriedIn({ response }: Opened): Carried {
  return response === null || response === undefined ? 'never sent' : 'sent';
}

type Opened = { readonly [name: string]: JsonValue };

export function evidenceText(
  head: string,
  envelope: Opened,
  carried: Carried = carriedIn(envelope),
): string {
  const lines = [
    head,
    '',
    `reason          ${text(envelope['reason'])}`,
    `trace           ${text(envelope['trace'])}`,
  ];
  const { response } = envelope;
  if (typeof response === 'object' && response !== null && 'status' in response) {
    const body = Buffer.from(text(response['body_base64']), 'base64');
    lines.push(
      `portal answered ${text(response['status'])}, body of ${body.length} bytes:`,
      indent(printable(body)),
    );
  } else if (typeof response === 'object' && response !== null && 'code' in response) {
    lines.push(`no answer       ${text(response['code'])}: ${text(response['message'])}`);
  }
  lines.push(
    PAYLOAD[carried],
    indent(printable(Buffer.from(text(envelope['payload_base64']), 'base64'))),
  );
  if (Array.isArray(envelope['attempts']))
    lines.push(`attempts        ${envelope['attempts'].length}`);
  return lines.join('\n');
}

export function reviewText(head: string, file: ReviewFile, assigned: string | undefined): string {
  const { envelope, attempts, violations, revisions } = file;
  const carried = carriedBy(attempts.map(({ action, verdict }) => attemptWord(action, verdict)));
  const lines = [evidenceText(head, envelope, carried)];
  if (assigned !== undefined) lines.push(`assigned to     ${assigned}`);
  for (const { code, field, message } of violations) {
    lines.push(
      `violation       ${[code, field, message].filter(Boolean).map(shownWords).join('  ')}`,
    );
  }
  for (const former of revisions) {
    lines.push(
      `revision ${former.revision}      sha256 ${former.payloadSha256}, replaced ${moment(former.replacedAt)} by proposal ${former.proposal}`,
    );
  }
  const rows = attempts.map((each) => [
    each.attempt,
    attemptWord(each.action, each.verdict),
    moment(each.intentAt),
    each.verdict ?? '',
    each.code ?? '',
    each.trace,
  ]);
  lines.push('', table(['attempt', 'what', 'intent', 'verdict', 'code', 'trace'], rows));
  return lines.join('\n');
}

/** The exact bytes sent and answered, for comparison with what the portal documents. */
export function hexText(file: ReviewFile): string {
  const { envelope, attempts } = file;
  const carried = carriedBy(attempts.map(({ action, verdict }) => attemptWord(action, verdict)));
  const payload = envelope['payload_base64'];
  const sent = typeof payload === 'string' ? Buffer.from(payload, 'base64') : undefined;
  const blocks = [
    block(
      `payload${carried === 'sent' ? ' sent' : ', not sent'}, sha256 ${text(envelope['payload_sha256'])}`,
      sent,
    ),
    block(`last answer${statusOf(envelope['response'])}`, bodyOf(envelope['response'])),
  ];
  // The last attempt's answer is the one above.
  for (const { attempt, exchange, trace } of attempts) {
    if (trace === envelope['trace'] || exchange === undefined) continue;
    blocks.push(block(`answer to attempt ${attempt}${statusOf(exchange)}`, bodyOf(exchange)));
  }
  return blocks.join('\n\n');
}

/** A dump of more is for a program, which has the bytes as base64 in the JSON form. */
const DUMP_BYTES_MAX = 1024 * 1024;
const ROW_BYTES = 16;

/** Sixteen bytes a line: offset, hex in two groups, and the printable ones as text. */
function hexDump(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DUMP_BYTES_MAX));
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += ROW_BYTES) {
    const row = shown.subarray(at, at + ROW_BYTES);
    const hex = [...row].map((byte) => byte.toString(16).padStart(2, '0'));
    const groups = `${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}`;
    const seen = [...row].map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    lines.push(`${at.toString(16).padStart(8, '0')}  ${groups}  |${seen.join('')}|`);
  }
  lines.push(shown.length.toString(16).padStart(8, '0'));
  if (bytes.length > shown.length) {
    lines.push(`... ${bytes.length - shown.length} more bytes; use --json`);
  }
  return lines.join('\n');
}

export function proposalText({ proposal, items, changes }: OpenedProposal): string {
  const facts: [string, string][] = [
    ['proposal', proposal.id],
    ['what', `${proposal.kind}, ${proposal.count} ${proposal.count === 1 ? 'filing' : 'filings'}`],
    ['proposed by', `${proposal.proposedBy}, ${moment(proposal.proposedAt)}`],
    ['reason', shownWords(proposal.reason)],
    ...Object.entries(proposal.filter ?? {}).map(([name, value]): [string, string] => [
      'filter',
      `${name}=${shownWords(value)}`,
    ]),
    [
      'state',
      proposal.decision === 'open'
        ? 'open'
        : `${proposal.decision} by ${proposal.decidedBy}, ${moment(proposal.decidedAt)}`,
    ],
    ['hash', proposal.sha256],
  ];
  const lines = facts.map(([name, value]) => `${name.padEnd(16)}${value}`);
  if (changes.length > 0) {
    const rows = changes.map(({ field, old, new: now }) => [field, shown(old), shown(now)]);
    lines.push('', table(['field', 'before', 'after'], rows));
  }
  const rows = items
    .slice(0, ITEMS_SHOWN_MAX)
    .map((item) => [item.filing, item.revision, item.action, item.payloadSha256.slice(0, 16)]);
  lines.push('', table(['filing', 'revision', 'first', 'payload'], rows));
  if (items.length > rows.length) {
    lines.push(`... ${items.length - rows.length} more; use --json`);
  }
  return lines.join('\n');
}

const ITEMS_SHOWN_MAX = 50;

function block(title: string, bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return `${title}: none`;
  return `${title}, ${bytes.length} bytes:\n${hexDump(bytes)}`;
}

function statusOf(exchange: JsonValue | undefined): string {
  const status = pointer(exchange, '/status') ?? pointer(exchange, '/code');
  if (typeof status === 'number') return `, status ${status}`;
  return typeof status === 'string' ? `, ${status}` : '';
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  const json = JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function shownWords(words: string | undefined): string {
  return plain(words ?? '');
}

function printable(bytes: Buffer): string {
  const words = bytes
    .subarray(0, 2_000)
    .toString('utf8')
    .replaceAll(/[^\P{Cc}\n]/gu, '\ufffd');
  return bytes.length > 2_000
    ? `${words}\n... ${bytes.length - 2_000} more bytes; use --json`
    : words;
}

function indent(lines: string): string {
  return lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
