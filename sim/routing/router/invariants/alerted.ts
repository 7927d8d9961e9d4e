/** Who runs the place is told in the same commit: of a docket that waits for people, of a target that fails, of a recovery that asks. */
import type { Violation } from '../../evidence.ts';
import type { Commit } from '../book.ts';
import type { RouterWorld } from '../world.ts';

type State = { readonly breaker: { readonly state: string } };

export function alerted({ book, database }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => {
    found.push({ invariant: 'alerted', text });
  };
  for (const commit of book.commits) {
    for (const { before, after } of commit.dockets) {
      const isNew = after.phase === 'manual' && before?.phase !== 'manual';
      if (
        isNew &&
        !('held' in (before?.state ?? {})) &&
        !isRaised(commit, 'docket_manual', after.id)
      ) {
        say(`docket ${after.id} came to people and nobody was alerted`);
      }
    }
    for (const { before, after } of commit.lanes) {
      const was = (before?.state as State | undefined)?.breaker.state ?? 'closed';
      const target = after.code.replace('target/', '');
      const isOpened = was === 'closed' && (after.state as State).breaker.state === 'open';
      if (isOpened && !isRaised(commit, 'target_failing', target)) {
        say(`the breaker of ${target} opened and nobody was alerted`);
      }
    }
    for (const { before, after } of commit.runs) {
      const isAsking = after.phase === 'awaiting_approval' && before?.phase !== after.phase;
      if (isAsking && !isRaised(commit, 'recovery_waits', after.target)) {
        say(`the recovery of ${after.target} waits and nobody was alerted`);
      }
    }
  }
  const { alert, difference, run } = database.tables;
  for (const { run: id, docket, overdue } of difference.rows.values()) {
    const target = run.rows.get(id)?.target;
    const isTold = [...alert.rows.values()].some(
      ({ kind, subject }) => kind === 'recovery_differences' && subject === target,
    );
    if (!isTold) say(`docket ${docket} differs at ${target} and nobody was alerted`);
    const isAgain = [...alert.rows.values()].some(
      ({ kind, subject }) => kind === 'recovery_difference_overdue' && subject === docket,
    );
    if (overdue > 0 && !isAgain)
      say(`docket ${docket} differs for too long and nobody was alerted`);
  }
  return found;
}

function isRaised({ alerts }: Commit, kind: string, subject: string): boolean {
  return alerts.some(({ after }) => after.kind === kind && after.subject === subject);
}
