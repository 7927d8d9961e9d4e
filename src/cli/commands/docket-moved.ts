/** What another law would do to open dockets: looked at before it is put into force. */
import type { Command } from '../command.ts';
import type { MovedEntry } from '../../dockets/index.ts';
import { EXIT } from '../../core/index.ts';
import { table } from '../output.ts';

export function addDocketMoved(docket: Command): void {
  docket
    .command('moved <law>')
    .description(
      'open dockets whose dates would change under another law folder or file, earlier dates first. Changes nothing; exits with 5 (a person is needed) if a date would be earlier',
    )
    .inApp(async ({ app, out, actor }, law: string) => {
      const { movedBy } = await import('../../dockets/index.ts');
      const { patentLawAt } = await import('../patent-law.ts');
      const moved = await movedBy(app, actor, patentLawAt(law));
      const earlier = moved.filter((one) => one.earlier).length;
      out.result('docket moved', { moved, earlier }, () => movedText(moved));
      if (earlier > 0) process.exitCode = EXIT.conflict;
    });
}

function movedText(moved: readonly MovedEntry[]): string {
  if (moved.length === 0) return 'No open docket would change its date.';
  const arrow = ({ from, to }: MovedEntry['due']): string =>
    from === to ? (to ?? '') : `${from ?? 'none'} → ${to ?? 'not known'}`;
  return table(
    ['', 'due', 'final', 'application', 'owner', 'docket', 'why'],
    moved.map((one) => [
      one.earlier ? 'EARLIER' : 'later',
      arrow(one.due),
      arrow(one.final),
      one.applicationNumber ?? '?',
      one.owner ?? 'none yet',
      one.id,
      one.why.join('; '),
    ]),
  );
}
