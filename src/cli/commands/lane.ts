import type { Command } from '../command.ts';
import {
  addByHandLanes,
  addProfile,
  approveProfile,
  type ByHandLanes,
  proposedProfiles,
  type ProposedProfile,
  refuseProfile,
} from '../../filings/index.ts';
import { changeLane, destinationOf, listLanes, readProfile } from '../../lanes/index.ts';
import {
  type Instant,
  type JsonChange,
  type LaneState,
  misuse,
  type Profile,
} from '../../core/index.ts';
import { readNamedFile } from '../arguments.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';
import { warnOfPrivate } from '../context.ts';

const CEILING_MAX = 1000;

export function addCommands(lane: Command): void {
  addList(lane);
  addAdd(lane);
  addProposals(lane);
  addDecisions(lane);
  addChange(
    lane,
    'pause',
    'hold a lane: send nothing until a person resumes it',
    'paused_by_person',
  );
  addChange(
    lane,
    'resume',
    'resume a lane that a person paused; it starts slowly',
    'resumed_by_person',
  );
  addCeiling(lane);
}

function addList(lane: Command): void {
  lane
    .command('list')
    .description('lanes with their ceilings, pauses, breakers and backlog')
    .inApp(async ({ app, out, actor }) => {
      const all = await listLanes(app, actor);
      const now = app.clock.now();
      out.result(
        'lane list',
        {
          lanes: all.map((l) => ({
            ...l.state,
            title: l.profile.title,
            open: l.open,
          })),
        },
        () =>
          table(
            ['lane', 'ceiling', 'open', 'pause', 'breaker', 'automation', 'title'],
            all.map((l) => [
              l.state.code,
              l.state.ceiling,
              l.open,
              pauseText(l.state, now),
              l.state.breaker.state,
              l.profile.driver === 'person' ? 'by hand' : l.profile.automation,
              l.profile.title,
            ]),
          ),
      );
    });
}

function addAdd(lane: Command): void {
  lane
    .command('add [profile]')
    .description(
      'add a lane from a portal profile; for a lane that exists, propose the profile to a second person',
    )
    .option('--by-hand <codes>', 'shipped lanes on which people file: all, or US-NV,US-WY')
    .option('--reason <text>', 'why the profile changes (10 to 500 characters)')
    .inApp(
      async (
        { app, out, actor, options },
        file: string | undefined,
        own: { reason?: string; byHand?: string },
      ) => {
        if ((file === undefined) === (own.byHand === undefined)) {
          throw misuse('Expected either a profile or --by-hand');
        }
        if (own.byHand !== undefined) {
          const codes =
            own.byHand === 'all' ? 'all' : own.byHand.split(',').map((one) => one.trim());
          const done = await addByHandLanes(app, actor, codes);
          out.result('lane add', done, () => byHandText(done));
          return;
        }
        const profile = readProfileFile(file ?? '');
        warnOfPrivate(profile.allowPrivateAddresses, options);
        const done = await addProfile(app, actor, profile, own.reason);
        const data = { lane: profile.code, added: done.state === 'added', ...done };
        out.result('lane add', data, () => addedText(profile, done));
      },
    );
}

function byHandText({ added, unchanged, kept }: ByHandLanes): string {
  return [
    `Added ${added.length} lanes on which people file: ${added.join(', ') || 'none'}.`,
    ...(unchanged.length === 0 ? [] : [`${unchanged.length} were there already.`]),
    ...kept.map(
      (code) =>
        `${code} has another profile and keeps it; to change it: filewright lane add profiles/by-hand/${code.toLowerCase()}.json`,
    ),
  ].join('\n');
}

function addedText(profile: Profile, done: Awaited<ReturnType<typeof addProfile>>): string {
  const { code, title, ceiling, automation } = profile;
  switch (done.state) {
    case 'added':
      return profile.driver === 'person'
        ? `Added lane ${code} (${title}); people file there, see hand list.`
        : `Added lane ${code} (${title}), ceiling ${ceiling}, automation ${automation}.`;
    case 'unchanged':
      return `Lane ${code} already has this profile; nothing was changed.`;
    case 'proposed':
      return [
        `Lane ${code} keeps its profile until another person approves this one, which leads to ${done.origin}.`,
        changesTable(done.changes),
        `The second person: filewright lane approve ${code} --expect-hash ${done.sha256}`,
      ].join('\n');
  }
}

function changesTable(changes: readonly JsonChange[]): string {
  const shown = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));
  return table(
    ['field', 'now', 'proposed'],
    changes.map(({ field, from, to }) => [field, shown(from), shown(to)]),
  );
}

function addProposals(lane: Command): void {
  lane
    .command('proposals')
    .description(
      'profiles that wait for a second person, with each changed field and the destination',
    )
    .inApp(async ({ app, out, actor }) => {
      const proposals = await proposedProfiles(app, actor);
      out.result('lane proposals', { proposals }, () =>
        proposals.length === 0
          ? 'No profile waits for approval.'
          : proposals.map(proposedText).join('\n\n'),
      );
    });
}

function proposedText(one: ProposedProfile): string {
  const to =
    one.origin === one.formerOrigin
      ? `still ${one.origin}`
      : `${one.origin} (now ${one.formerOrigin})`;
  return [
    `Lane ${one.lane}, proposed by ${one.proposedBy} at ${moment(one.proposedAt)}: ${one.reason}`,
    `leads to  ${to}`,
    `profile   ${one.profileSha256}`,
    `hash      ${one.sha256}`,
    changesTable(one.changes),
  ].join('\n');
}

function addDecisions(lane: Command): void {
  lane
    .command('approve <lane>')
    .description(
      'approve a proposed profile as the second person; filings approved for the former one need a new approval',
    )
    .requiredOption('--expect-hash <sha256>', 'the hash that lane proposals shows')
    .inApp(async ({ app, out, actor }, code: string, own: { expectHash: string }) => {
      const done = await approveProfile(app, actor, { lane: code, expectHash: own.expectHash });
      const { origin, profile_sha256 } = destinationOf(done.profile);
      const data = { lane: code, origin, profileSha256: profile_sha256, voided: done.voided };
      out.result('lane approve', data, () =>
        [
          `Lane ${code} now has the approved profile and leads to ${origin}.`,
          ...done.voided.map(
            ({ batch, filings }) =>
              `${filings} filings of batch ${batch} need a new approval: filewright batch propose ${batch}`,
          ),
        ].join('\n'),
      );
    });
  lane
    .command('refuse <lane>')
    .description('refuse a proposed profile, or withdraw your own proposal')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, code: string, own: { reason: string }) => {
      await refuseProfile(app, actor, { lane: code, reason: own.reason });
      out.result('lane refuse', { lane: code }, () => `Lane ${code} keeps its profile.`);
    });
}

function addChange(
  lane: Command,
  name: string,
  about: string,
  kind: 'paused_by_person' | 'resumed_by_person',
): void {
  lane
    .command(`${name} <lane>`)
    .description(about)
    .inApp(async ({ app, out, actor }, code: string) => {
      const state = await changeLane(app, actor, code, { kind });
      out.result(
        `lane ${name}`,
        { lane: state },
        () => `Lane ${code}: ${pauseText(state, app.clock.now())}.`,
      );
    });
}

function addCeiling(lane: Command): void {
  lane
    .command('ceiling <lane> <n>')
    .description('change the ceiling: how many requests a lane may have in flight')
    .inApp(async ({ app, out, actor }, code: string, n: string) => {
      const ceiling = Number(n);
      if (!Number.isInteger(ceiling) || ceiling < 1 || ceiling > CEILING_MAX) {
        throw misuse(`Expected a ceiling from 1 to ${CEILING_MAX}, found "${n}"`);
      }
      const state = await changeLane(app, actor, code, { kind: 'ceiling', ceiling });
      out.result('lane ceiling', { lane: state }, () => `Lane ${code}: ceiling ${state.ceiling}.`);
    });
}

export function readProfileFile(file: string): Profile {
  return readProfile(readNamedFile('profile', file), file);
}

/** How far a recovery has come. */
function recoveryText({ recovery }: Pick<LaneState, 'recovery'>): string {
  if (recovery === undefined) return '';
  const { run } = recovery;
  const step = run.state === 'checking' ? ` ${run.step}` : '';
  return `, ${run.state.replaceAll('_', ' ')}${step}`;
}

export function pauseText(lane: Pick<LaneState, 'pause' | 'recovery'>, now: Instant): string {
  switch (lane.pause.kind) {
    case 'none':
      return 'open';
    case 'until':
      // Nobody writes the row when a pause runs out: its end is all that counts.
      return lane.pause.until > now
        ? `${lane.pause.reason} until ${moment(lane.pause.until)}`
        : 'open';
    case 'held':
      return `held since ${moment(lane.pause.since)}: ${lane.pause.reason}${recoveryText(lane)}`;
  }
}
