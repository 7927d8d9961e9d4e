import type { Command } from '../command.ts';
import { listSetAside, showSetAside } from '../../oversight/index.ts';
import { checkUuid } from '../arguments.ts';
import { table } from '../output.ts';

export function addSetAsideCommand(audit: Command): void {
  audit
    .command('set-aside [id]')
    .description(
      'facts too large for a log entry, with the hash that the log holds of each; with ID, the fact itself',
    )
    .inApp(async ({ app, out, actor }, id: string | undefined) => {
      if (id !== undefined) {
        checkUuid('ID', id);
        const shown = await showSetAside(app, actor, id);
        out.result('audit set-aside', { id, ...shown }, () =>
          shown.state === 'kept'
            ? shown.fact
            : `This fact can no longer be read: its key ${shown.key} was destroyed at ${shown.at}, at the end of its retention period. The log still holds its hash.`,
        );
        return;
      }
      const { count, facts } = await listSetAside(app, actor);
      out.result('audit set-aside', { count, facts }, () =>
        count === 0
          ? 'Every fact is in its log; none is set aside.'
          : [
              table(
                ['fact', 'log', 'set aside', 'reason', 'bytes', 'sha256'],
                facts.map((one) => [one.id, one.log, one.at, one.reason, one.bytes, one.sha256]),
              ),
              ...(count > facts.length ? [`The newest ${facts.length} of ${count}.`] : []),
              'The events themselves took place. The log holds the hash; audit set-aside ID shows the full fact. Please report it.',
            ].join('\n'),
      );
    });
}
