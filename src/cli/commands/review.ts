import type { Command } from 'commander';
import { openException, replay } from '../../acts/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { listExceptions } from '../../store/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { iso, span, table } from '../output.ts';
import { describe } from './filing.ts';

export function addReviewCommands(program: Command): void {
  const review = program
    .command('review')
    .description('exceptions: what automation may no longer touch');

  review
    .command('list')
    .description('open exceptions, the most urgent first')
    .option('--lane <code>')
    .option('--batch <id>')
    .option('--limit <n>', 'how many', '50')
    .action(async (own: { lane?: string; batch?: string; limit: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out }) => {
        checkUuid('--batch', own.batch);
        const exceptions = await listExceptions(app.session, app.tenant, {
          ...own,
          limit: readLimit(own.limit),
        });
        const rows = exceptions.map((x) => ({
          filing: x.filing.id,
          lane: x.filing.lane,
          entity: x.filing.entityId,
          status: x.filing.status,
          reason: x.reason,
          mayBeFiled: x.unsettled !== undefined,
          slackMs: x.filing.lastSafe - app.clock.now(),
          openedAt: iso(x.openedAt),
        }));
        out.result('review list', { exceptions: rows }, () =>
          table(
            ['filing', 'lane', 'entity', 'status', 'reason', 'may be filed', 'slack', 'since'],
            rows.map((r) => [
              r.filing,
              r.lane,
              r.entity,
              r.status,
              r.reason,
              r.mayBeFiled ? 'yes' : 'no',
              span(r.slackMs),
              r.openedAt,
            ]),
          ),
        );
      }),
    );

  review
    .command('show <filing>')
    .description('the sealed envelope: payload, hash, trace, exact response, attempts')
    .action(async (id: string, _own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        await actor();
        const { exception, envelope } = await openException(app, id);
        const { envelope: _sealed, ...rest } = exception;
        out.result('review show', { ...rest, envelope }, () =>
          evidenceText(describe(exception.filing), envelope),
        );
      }),
    );

  review
    .command('replay <filing>')
    .description(
      'send the same payload again under the same key; asks the portal first where that is needed',
    )
    .option(
      '--not-filed <evidence>',
      'how you know that an earlier send was not accepted; recorded in the ledger',
    )
    .action(async (id: string, own: { notFiled?: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const exception = await replay(app, id, await actor(), own.notFiled);
        out.result(
          'review replay',
          { filing: id, from: exception.filing.status },
          () => `Filing ${id} is pending again.`,
        );
      }),
    );
}

/** What a person wants to see first; the JSON form has everything. */
export function evidenceText(
  head: string,
  envelope: { readonly [name: string]: JsonValue },
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
    'payload as sent:',
    indent(printable(Buffer.from(text(envelope['payload_base64']), 'base64'))),
  );
  if (Array.isArray(envelope['attempts']))
    lines.push(`attempts        ${envelope['attempts'].length}`);
  return lines.join('\n');
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A terminal must not be steered by what a portal sent. */
function printable(bytes: Buffer): string {
  const shown = bytes
    .subarray(0, 2_000)
    .toString('utf8')
    .replaceAll(/[^\P{Cc}\n]/gu, '\ufffd');
  return bytes.length > 2_000
    ? `${shown}\n... ${bytes.length - 2_000} bytes more; use --json`
    : shown;
}

function indent(block: string): string {
  return block
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
