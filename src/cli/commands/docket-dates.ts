/** What is said of a docket's dates: versions and disputes, and the second docketing by someone who has not seen the first. */
import type { DatingChange, DatingProposal, SecondAnswer } from '../../dockets/index.ts';
import { EXIT, misuse, sha256Of } from '../../core/index.ts';
import { readNamedFile } from '../arguments.ts';
import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { moment } from '../shown.ts';
import { table } from '../output.ts';

interface DisputeOptions {
  readonly period?: string;
  readonly trigger?: string;
  readonly rule?: string;
  readonly withoutStated?: true;
  readonly proof?: string;
  readonly reason: string;
}

interface SecondOptions {
  readonly event: string;
  readonly eventDate: string;
  readonly filingDate?: string;
  readonly period?: string;
  readonly rule?: string;
  readonly input?: readonly string[];
  readonly due?: string;
  readonly final?: string;
}

interface Days {
  readonly due?: string;
  readonly final?: string;
}

export function addDocketDates(docket: Command): void {
  addVersions(docket);
  addDispute(docket);
  addDecisions(docket);
  addSecond(docket);
}

function addVersions(docket: Command): void {
  for (const [act, what] of [
    ['accept', 'propose that the dates are computed from a later version of the event'],
    ['decline', 'propose that a later version of the event does not count'],
  ] as const) {
    docket
      .command(`${act} <docket>`)
      .description(`${what}; a second person approves`)
      .requiredOption('--record <n>', 'the number of the version, as docket show lists it')
      .requiredOption('--reason <text>', 'why (10 to 500 characters)')
      .inApp(async (context, id: string, own: { record: string; reason: string }) => {
        const version = Number(own.record);
        if (!Number.isInteger(version) || version < 2) {
          throw misuse(`--record: expected a number from 2, found "${own.record}"`);
        }
        await propose(context, id, { act, version }, own.reason);
      });
  }
}

function addDispute(docket: Command): void {
  docket
    .command('dispute <docket>')
    .description(
      'propose another period, another day from which it runs, or another rule; the earlier date counts until a second person approves',
    )
    .option('--period <period>', 'the period that the office set, such as P3M')
    .option('--trigger <day>', 'the day from which the period runs')
    .option('--rule <rule>', 'the rule that applies, as law rules lists it')
    .option('--without-stated', 'the date that the source states is wrong; needs --proof')
    .option('--proof <file>', 'the document that shows it; its SHA-256 is recorded')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async (context, id: string, own: DisputeOptions) => {
      const { reason, proof, ...rest } = own;
      const shown =
        proof === undefined ? {} : { proofSha256: sha256Of(readNamedFile('proof', proof)) };
      await propose(context, id, { act: 'dispute', ...rest, ...shown }, reason);
    });
}

async function propose(
  { app, out, actor }: Context,
  id: string,
  change: DatingChange,
  reason: string,
): Promise<void> {
  const { proposeDating } = await import('../../dockets/index.ts');
  const done = await proposeDating(app, actor, id, change, reason);
  out.result(`docket ${change.act}`, done, () =>
    [
      `Proposed: ${sayDays(done.proposed)}. Until another person decides, the earlier date counts: ${sayDays(done.meanwhile)}.`,
      `The second person: filewright docket approve ${id} --expect-hash ${done.sha256}`,
    ].join('\n'),
  );
}

function addDecisions(docket: Command): void {
  docket
    .command('proposals [docket]')
    .description('changes of dates that wait for a second person')
    .inApp(async ({ app, out, actor }, id: string | undefined) => {
      const { datingProposals } = await import('../../dockets/index.ts');
      const proposals = await datingProposals(app, actor, id);
      out.result('docket proposals', { proposals }, () =>
        proposals.length === 0
          ? 'No change of dates waits for approval.'
          : proposals.map(proposalText).join('\n\n'),
      );
    });
  docket
    .command('approve <docket>')
    .description('approve a change of dates as the second person')
    .requiredOption('--expect-hash <sha256>', 'the hash that docket proposals shows')
    .inApp(async ({ app, out, actor }, id: string, own: { expectHash: string }) => {
      const { approveDating } = await import('../../dockets/index.ts');
      const done = await approveDating(app, actor, id, own.expectHash);
      out.result('docket approve', done, () => `Approved. The docket is now ${sayDays(done)}.`);
    });
  docket
    .command('refuse <docket>')
    .description('refuse a change of dates, or withdraw your own')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string }) => {
      const { refuseDating } = await import('../../dockets/index.ts');
      const done = await refuseDating(app, actor, id, own.reason);
      out.result('docket refuse', done, () => 'The change is not made.');
    });
}

function addSecond(docket: Command): void {
  docket
    .command('second <docket>')
    .description(
      'the second docketing: what you read in the office’s document, without having seen the first date',
    )
    .requiredOption('--event <code>', 'the event code')
    .requiredOption('--event-date <day>', 'the day from which the period runs')
    .option('--filing-date <day>', 'the filing date of the application, if the rule needs it')
    .option('--period <period>', 'the period that the office set, such as P3M')
    .option('--rule <rule>', 'the rule that applies')
    .option('--input <name=value...>', 'further inputs of the rule')
    .option('--due <day>', 'the due date that the document states')
    .option('--final <day>', 'the final date that the document states')
    .inApp(async ({ app, out, actor }, id: string, own: SecondOptions) => {
      const { giveSecond } = await import('../../dockets/index.ts');
      const { event, input, due, final, ...rest } = own;
      const done = await giveSecond(app, actor, id, {
        ...rest,
        eventCode: event,
        ...(input === undefined ? {} : { inputs: inputsOf(input) }),
        ...(due === undefined ? {} : { dueDate: due }),
        ...(final === undefined ? {} : { finalDate: final }),
      });
      out.result('docket second', done, () => secondText(id, done));
      if (done.standing === 'blocked') process.exitCode = EXIT.conflict;
    });
  docket
    .command('decide <docket>')
    .description('decide between two docketings that differ, as a third person')
    .requiredOption('--for <which>', 'first or second')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { for: string; reason: string }) => {
      if (own.for !== 'first' && own.for !== 'second') {
        throw misuse(`--for: expected first or second, found "${own.for}"`);
      }
      const { decideSecond } = await import('../../dockets/index.ts');
      const done = await decideSecond(app, actor, id, { for: own.for, reason: own.reason });
      const held = own.for === 'first' ? done.first : done.second;
      out.result('docket decide', done, () => `The ${own.for} docketing counts: ${sayDays(held)}.`);
    });
  docket
    .command('reveal <docket>')
    .description('see a date that waits for its second docketing; you can then no longer give it')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string }) => {
      const { revealDate } = await import('../../dockets/index.ts');
      const done = await revealDate(app, actor, id, own.reason);
      out.result('docket reveal', done, () => 'Recorded. docket show now has its dates.');
    });
}

function inputsOf(inputs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    inputs.map((input) => {
      const [name = '', ...value] = input.split('=');
      if (name === '' || value.length === 0) {
        throw misuse(`--input: expected name=value, found "${input}"`);
      }
      return [name, value.join('=')];
    }),
  );
}

function secondText(id: string, { standing, first, second }: SecondAnswer): string {
  if (standing === 'verified') return `Verified by two: ${sayDays(second)}.`;
  return [
    'The two docketings differ. The earlier date counts until a third person decides.',
    table(
      ['', 'due', 'final'],
      [
        ['first', first.due ?? 'not known', first.final ?? ''],
        ['second', second.due ?? 'not known', second.final ?? ''],
      ],
    ),
    `The third person: filewright docket show ${id}, then filewright docket decide ${id} --for first|second --reason "..."`,
  ].join('\n');
}

function proposalText(one: DatingProposal): string {
  const what = one.version === undefined ? one.act : `${one.act} version ${one.version}`;
  return [
    `Docket ${one.subject}: ${what}, proposed by ${one.proposedBy} at ${moment(one.proposedAt)}: ${one.reason}`,
    `now       ${sayDays(one.now)}`,
    `proposed  ${sayDays(one.proposed)}`,
    ...(one.proofSha256 === undefined ? [] : [`proof     document sha256:${one.proofSha256}`]),
    `hash      ${one.sha256}`,
  ].join('\n');
}

function sayDays({ due, final }: Days): string {
  if (due === undefined) return 'no date known';
  return `due ${due}${final === undefined ? '' : `, final ${final}`}`;
}
