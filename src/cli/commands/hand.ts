/** Filing by hand: the queue, who has what, and what has come of it. */
import type { Command } from '../command.ts';
import { listHand, type ListedByHand, renewTaking, takeFiling } from '../../filings/index.ts';
import { misuse, shownTime, toRfc3339 } from '../../core/index.ts';
import { readLimit } from '../arguments.ts';
import { span, table } from '../output.ts';
import { addCorrections } from './hand-correct.ts';
import { addOutcomes } from './hand-outcomes.ts';
import { addSayings } from './hand-say.ts';
import { addSheets } from './hand-sheet.ts';
import { stateJson } from './hand-state.ts';

export function addCommands(hand: Command): void {
  addList(hand);
  addTake(hand);
  addRenew(hand);
  addSheets(hand);
  addSayings(hand);
  addOutcomes(hand);
  addCorrections(hand);
}

interface ListOptions {
  readonly lane?: string;
  readonly all?: true;
  readonly mine?: true;
  readonly limit: string;
}

function addList(hand: Command): void {
  hand
    .command('list')
    .description('what is to be filed by hand, most urgent first, and who has it until when')
    .option('--lane <code>')
    .option('--mine', 'only what you have')
    .option('--all', 'also filings that are not approved yet, or before their first day')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: ListOptions) => {
      const { limit, ...filter } = own;
      const { filings, counts } = await listHand(app, actor, {
        ...filter,
        limit: readLimit(limit),
      });
      const rows = filings.map((one) => ({
        filing: one.filing.id,
        lane: one.filing.lane,
        entity: one.filing.entityId,
        kind: one.filing.filingKind,
        period: one.filing.period,
        due: toRfc3339(one.filing.due),
        lastSafe: toRfc3339(one.filing.lastSafe),
        slackMs: one.slackMs,
        ...stateJson(one.state),
      }));
      out.result('hand list', { filings: rows, counts }, () =>
        [
          table(
            ['filing', 'lane', 'entity', 'kind', 'period', 'start by', 'slack', 'who'],
            filings.map((one) => [
              one.filing.id,
              one.filing.lane,
              one.filing.entityId,
              one.filing.filingKind,
              one.filing.period,
              shownTime(one.filing.lastSafe, one.zone),
              span(one.slackMs),
              whoText(one),
            ]),
          ),
          `${counts.free} free, ${counts.taken} taken, ${counts.look} to look for, ${counts.waiting} not approved yet.`,
        ].join('\n'),
      );
    });
}

function whoText({ state, zone }: ListedByHand): string {
  switch (state.kind) {
    case 'free':
      return 'free';
    case 'taken':
      return `${state.name} until ${shownTime(state.until, zone)}`;
    case 'look':
      return `look, from ${shownTime(state.provesFrom, zone)}: ${state.why === 'lost' ? `${state.name ?? '?'} went away` : `${state.name ?? 'unknown'}, ${state.why}`}`;
    case 'early':
      return `from ${shownTime(state.from, zone)}`;
    case 'waiting':
      return 'not approved';
    case 'ended':
    case 'worker':
      return state.kind;
  }
}

function addTake(hand: Command): void {
  hand
    .command('take [filing]')
    .description('take a filing to file it: until the time shown, no one else can')
    .option('--next', 'the most urgent one that is free')
    .option('--lane <code>', 'with --next: of this lane')
    .inApp(
      async (
        { app, out, actor },
        name: string | undefined,
        own: { next?: true; lane?: string },
      ) => {
        if ((name === undefined) !== (own.next === true)) {
          throw misuse('Expected either a filing or --next; hand list shows what is free');
        }
        const taken = await takeFiling(
          app,
          actor,
          name === undefined ? { lane: own.lane } : { name },
        );
        const data =
          taken === undefined
            ? { taken: null }
            : { taken: taken.filing.id, until: toRfc3339(taken.until) };
        out.result('hand take', data, () =>
          taken === undefined
            ? 'Nothing is free to be filed by hand; hand list --all shows every open filing.'
            : [
                `You have filing ${taken.filing.id} (${taken.filing.lane}, ${taken.filing.entityId}) until ${shownTime(taken.until, taken.zone)}.`,
                `What to type:       filewright hand sheet ${taken.filing.id}`,
                `When it is filed:   filewright hand filed ${taken.filing.id} --receipt ... --filed-at ... --fee ... --confirmation FILE`,
                `If you do not file: filewright hand release ${taken.filing.id} --reason "..."`,
                'Do not send it to the office after that time without hand renew: another person may have it then.',
              ].join('\n'),
        );
      },
    );
}

function addRenew(hand: Command): void {
  hand
    .command('renew <filing>')
    .description('more time for a filing that you have')
    .inApp(async ({ app, out, actor }, name: string) => {
      const { filing, until, zone } = await renewTaking(app, actor, name);
      out.result(
        'hand renew',
        { filing: filing.id, until: toRfc3339(until) },
        () => `You have filing ${filing.id} until ${shownTime(until, zone)}.`,
      );
    });
}
