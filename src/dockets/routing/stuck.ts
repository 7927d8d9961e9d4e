/** Dockets that no decision can be made about: a state that is not ours, a calendar that is broken. A person must know. */
import { addMs, type DocketId, FilewrightError, type Instant } from '../../core/index.ts';
import { postponeDockets } from '../store/steps.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import type { Session } from '../../postgres/index.ts';
import type { RoutingDeps } from './deps.ts';

export interface Stuck {
  readonly docket: DocketId;
  readonly error: unknown;
}

/** Mended by an import or a new version, a docket goes on by itself within this time. */
const AGAIN_MS = 60_000;

export async function tellStuck(
  { tenant, ids, log }: Pick<RoutingDeps, 'tenant' | 'ids' | 'log'>,
  run: Session['run'],
  stuck: readonly Stuck[],
  now: Instant,
): Promise<void> {
  await postponeDockets(
    run,
    tenant,
    stuck.map(({ docket }) => docket),
    addMs(now, AGAIN_MS),
  );
  for (const { docket, error } of stuck) {
    // Never its message, which could quote a payload.
    const code = error instanceof FilewrightError ? error.code : 'UNEXPECTED';
    log.write({ level: 'error', event: 'router.docket_stuck', error: code });
    await raiseAlertRow(run, tenant, {
      id: ids.next(),
      kind: 'docket_stuck',
      subject: docket,
      docket,
      severity: 'critical',
      recipient: undefined,
      text: `Docket ${docket}. It cannot be routed (${code}), and no one receives it until that is fixed. Look at it with docket show and handle it yourself.`,
      dedup: `docket_stuck/${docket}`.slice(0, 200),
    });
  }
}
