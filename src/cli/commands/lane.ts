import type { Command } from '../command.ts';
import { addPortal, changeLane, listLanes, readProfile } from '../../lanes/index.ts';
import { type Instant, type LaneState, misuse, type Profile } from '../../core/index.ts';
import { readNamedFile } from '../arguments.ts';
import { iso, table } from '../output.ts';
import { warnOfPrivate } from '../context.ts';

const CEILING_MAX = 1000;

export function addCommands(lane: Command): void {
  addList(lane);
  addAdd(lane);
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
              l.profile.automation,
              l.profile.title,
            ]),
          ),
      );
    });
}

function addAdd(lane: Command): void {
  lane
    .command('add <profile>')
    .description('add a lane from a portal profile, or update the profile of a lane')
    .inApp(async ({ app, out, actor, options }, file: string) => {
      const profile = readProfileFile(file);
      warnOfPrivate(profile.allowPrivateAddresses, options);
      const { added } = await addPortal(app, actor, profile);
      out.result(
        'lane add',
        { lane: profile.code, added },
        () =>
          `${added ? 'Added lane' : 'Updated the profile of lane'} ${profile.code} (${profile.title}), ceiling ${profile.ceiling}, automation ${profile.automation}.`,
      );
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
        ? `${lane.pause.reason} until ${iso(lane.pause.until)}`
        : 'open';
    case 'held':
      return `held since ${iso(lane.pause.since)}: ${lane.pause.reason}${recoveryText(lane)}`;
  }
}
