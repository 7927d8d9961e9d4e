import type { Command } from '../command.ts';
import { shownDay, shownTime } from '../../core/index.ts';
import { type InboxItem, listInbox } from '../../oversight/index.ts';
import { readLimit } from '../arguments.ts';
import { iso } from '../output.ts';
import { nextCommand } from './next-command.ts';

export function addCommands(command: Command): void {
  command
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: { limit: string }) => {
      const { items, total } = await listInbox(app, actor, readLimit(own.limit));
      const data = {
        total,
        items: items.map(({ due, day, ...item }) => ({
          ...item,
          due: due === undefined ? null : iso(due),
          day: day ?? null,
        })),
      };
      const start = nextCommand(app.dataDirectory);
      out.result('inbox', data, () => {
        if (total === 0) return emptyWords(actor.kind);
        const head = items.length < total ? `${items.length} of ${total}` : `${total}`;
        const noun = total === 1 ? 'waits' : 'wait';
        return [
          `${head} ${noun} for ${actor.name}, the first due first.`,
          ...items.flatMap((item) => ['', ...itemLines(item, start)]),
        ].join('\n');
      });
    });
}

function emptyWords(kind: string): string {
  return kind === 'person'
    ? 'Nothing waits for you.'
    : 'Nothing waits for someone without a personal key; give yours with --key-file.';
}

function itemLines(item: InboxItem, start: string): string[] {
  const when = dueWords(item);
  return [
    `${KINDS[item.kind]}: ${item.what}`,
    ...(when === '' ? [] : [`  due   ${when}`]),
    `  why   ${item.why}`,
    `  next  ${start} ${item.next}`,
  ];
}

const KINDS: Readonly<Record<InboxItem['kind'], string>> = {
  approval: 'Approval',
  proposal: 'Proposal',
  batch: 'Your batch',
  question: 'Question',
  exception: 'Exception',
  by_hand: 'By hand',
  docket: 'Docket',
  grants: 'Grants',
  alert: 'Alert',
};

/** By the clock of the office. */
function dueWords({ due, day, zone }: InboxItem): string {
  if (due !== undefined) return shownTime(due, zone);
  return day === undefined ? '' : shownDay(day);
}
