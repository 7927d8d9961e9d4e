/** Tells a person once that a lane has gone over to one session, because those of its account end each other. */
import { toRfc3339 } from '../../core/index.ts';
import { type AlertDeps, everRaised, raiseAlert } from '../../people/index.ts';
import { storedLanes } from '../../lanes/index.ts';

export async function watchSessions(deps: AlertDeps): Promise<void> {
  const { session, tenant } = deps;
  const narrowed = (await storedLanes(session, tenant)).flatMap(({ state }) =>
    state.oneSessionSince === undefined ? [] : [{ lane: state.code, at: state.oneSessionSince }],
  );
  const keyed = narrowed.map((one) => ({ ...one, dedup: `one_session/${one.lane}/${one.at}` }));
  const run = session.run.bind(session);
  const raised = await everRaised(
    run,
    tenant,
    keyed.map(({ dedup }) => dedup),
  );
  for (const { lane, at, dedup } of keyed) {
    if (raised.has(dedup)) continue;
    await raiseAlert(deps, {
      kind: 'one_session',
      subject: lane,
      severity: 'warning',
      text:
        `Lane ${lane} has used one session since ${toRfc3339(at)}: each new log-in with its account ended the ` +
        'session before it. Nothing is lost, but the lane is slower. Ask the portal for more sessions, or give the lane ' +
        `an account that no one else uses; then set its ceiling again with: filewright lane ceiling ${lane} <n>`,
      dedup,
    });
  }
}
