import { randomUUID } from 'node:crypto';
import type { ClaimFault } from '../../core/index.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import type { Run } from '../../postgres/index.ts';

const REMEDY: Readonly<Record<ClaimFault['what'], string>> = {
  set_aside:
    'It is now an exception. Check with the portal whether it was received, then decide with filewright review.',
  left: 'It stays where it is and is not sent. File it by hand if its date is near.',
};

/** A person hears of it once, until it is acknowledged. */
export async function reportFault(run: Run, tenant: string, fault: ClaimFault): Promise<void> {
  const { filing, code, what } = fault;
  await raiseAlertRow(run, tenant, {
    id: randomUUID(),
    kind: 'claim_broken',
    subject: filing,
    severity: 'critical',
    recipient: undefined,
    text: `Filing ${filing} could not be handled (${code}). ${REMEDY[what]} The other filings go on.`,
    dedup: `claim_broken/${filing}`,
  });
}
