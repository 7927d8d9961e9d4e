import { isOpen, nextOpening } from '../rules/hours.ts';
import { type Profile, toRfc3339 } from '../../core/index.ts';
import { ACCESS_CHECKS } from './access-checks.ts';
import type { Check, CheckOutcome, CheckReason, Findings } from './check.ts';
import { FILING_CHECKS } from './filing-checks.ts';
import { Inspector, type InspectorOptions } from './inspector.ts';

export { CHECK_REASONS } from './check.ts';

interface CheckResult {
  readonly name: string;
  readonly claim: string;
  readonly state: CheckOutcome['state'];
  readonly reason?: CheckReason;
  readonly found: string;
}

export interface ConformanceReport {
  readonly lane: string;
  readonly url: string;
  readonly conforms: boolean;
  /** Of the first check that failed. */
  readonly reason?: CheckReason;
  /** Of the form, to be written into the profile. */
  readonly fingerprint?: string;
  readonly checks: readonly CheckResult[];
}

/** Nothing more can be learned once these have failed. */
const VITAL: ReadonlySet<string> = new Set(['reach', 'form']);

/**
 * Runs every check in order against the portal at `profile.baseUrl`, through the drivers that will file. Only the
 * synthetic filing of the profile is ever submitted.
 */
export async function checkPortal(options: InspectorOptions): Promise<ConformanceReport> {
  const inspector = new Inspector(options);
  const findings: Findings = {};
  const checks: CheckResult[] = [];
  const { profile, clock } = options;
  const now = clock.now();
  const opensAt = isOpen(profile.hours, now) ? undefined : nextOpening(profile.hours, now);
  const isClosed = profile.hours !== undefined && !isOpen(profile.hours, now);
  let stopped: string | undefined;
  try {
    for (const check of [...ACCESS_CHECKS, ...FILING_CHECKS]) {
      const isFiling = FILING_CHECKS.includes(check);
      const why =
        stopped ??
        (isFiling && isClosed
          ? `the portal is closed until ${opensAt === undefined ? 'further notice' : toRfc3339(opensAt)}`
          : undefined);
      const outcome: CheckOutcome =
        why === undefined ? await check.run(inspector, findings) : { state: 'skipped', found: why };
      checks.push(resultOf(check, outcome));
      if (outcome.state === 'failed' && VITAL.has(check.name)) stopped = `${check.name} failed`;
      const restSeconds = Math.ceil(inspector.portal.restMs / 1000);
      // Whether it is well is told by what reached it, without one more request.
      if (check.name !== 'reach' && inspector.portal.restMs > options.waitMsMax) {
        stopped ??= `the portal may need ${restSeconds} more seconds for the last request`;
      }
    }
  } finally {
    if (options.slots !== undefined) options.slots.isBusy = inspector.portal.restMs > 0;
    await inspector.portal.close();
  }
  return reportOf(profile, checks, findings);
}

function resultOf({ name, claim }: Check, outcome: CheckOutcome): CheckResult {
  return { name, claim, ...outcome };
}

function reportOf(
  profile: Profile,
  checks: readonly CheckResult[],
  { fingerprint }: Findings,
): ConformanceReport {
  const first = checks.find(({ state }) => state === 'failed');
  return {
    lane: profile.code,
    url: profile.baseUrl,
    conforms: first === undefined,
    ...(first?.reason === undefined ? {} : { reason: first.reason }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    checks,
  };
}
