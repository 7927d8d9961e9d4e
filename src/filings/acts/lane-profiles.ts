/**
 * Another profile for a lane: one person proposes it, another approves it by its hash. Here and not with the lanes, because
 * every approval to send that names the former profile ends with it.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type JsonChange,
  notFound,
  type Profile,
  ruledOut,
} from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import {
  addPortal,
  destinationOf,
  laneCounts,
  lanes,
  profileChanges,
  profiledFact,
  profileText,
  readProfile,
  replaceProfile,
  requireLane,
  storedLanes,
} from '../../lanes/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChange,
  raiseTrustAlert,
  refuseChange,
  type StoredProposal,
} from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { voidApprovals, type VoidedApproval } from '../store/voids.ts';
import { tellOfVoids } from '../watch/approval-watch.ts';

type AddedProfile =
  | { readonly state: 'added' | 'unchanged' }
  | {
      readonly state: 'proposed';
      readonly sha256: string;
      readonly origin: string;
      readonly changes: readonly JsonChange[];
    };

/** A lane that is new is added at once: nothing leaves by it before an approval names its profile. */
export async function addProfile(
  app: Installation,
  actor: Actor,
  profile: Profile,
  reason?: string,
): Promise<AddedProfile> {
  allow(actor, 'lane.add');
  const { origin, profile_sha256 } = destinationOf(profile);
  // One transaction: a lane that the others did not hear of would be theirs to find.
  const { added } = await addPortal(app, actor, profile, (run) =>
    raiseTrustAlert(run, app, actor, {
      kind: 'profile_changed',
      subject: profile.code,
      did: `added lane ${profile.code}, which leads to ${origin}`,
    }),
  );
  if (added) return { state: 'added' };
  const before = requireLane(await lanes(app), profile.code).profile;
  const former = destinationOf(before).profile_sha256;
  if (former === profile_sha256) return { state: 'unchanged' };
  const terms = { profile: profileText(profile), profile_sha256, origin, former_sha256: former };
  const { sha256 } = await proposeChange(app, actor, {
    kind: 'lane',
    subject: profile.code,
    terms,
    reason: reason ?? `another profile for lane ${profile.code}`,
    shown: { profile_sha256, origin },
  });
  return { state: 'proposed', sha256, origin, changes: profileChanges(before, profile) };
}

export interface ProposedProfile extends ChangeView {
  readonly lane: string;
  readonly origin: string;
  readonly formerOrigin: string;
  readonly profileSha256: string;
  readonly changes: readonly JsonChange[];
}

export async function proposedProfiles(
  app: Installation,
  actor: Actor,
): Promise<readonly ProposedProfile[]> {
  allow(actor, 'lane.proposals');
  const all = await lanes(app);
  return (await openChanges(app, 'lane')).map((change) => {
    const after = profileIn(change);
    const before = requireLane(all, change.subject).profile;
    const { origin, profile_sha256 } = destinationOf(after);
    return {
      ...change,
      lane: change.subject,
      origin,
      formerOrigin: destinationOf(before).origin,
      profileSha256: profile_sha256,
      changes: profileChanges(before, after),
    };
  });
}

/** From now on the lane goes by it, and what was approved for the former one waits for another approval. */
export async function approveProfile(
  app: Installation,
  actor: Actor,
  input: { readonly lane: string; readonly expectHash: string },
): Promise<{ readonly profile: Profile; readonly voided: readonly VoidedApproval[] }> {
  allow(actor, 'lane.decide');
  const { lane, expectHash } = input;
  let voided: readonly VoidedApproval[] = [];
  const proposal = await approveChange(app, actor, {
    kind: 'lane',
    subject: lane,
    expectHash,
    make: async (run, approved) => {
      const profile = profileIn(approved);
      await requireNothingInFlight(run, app, profile);
      await replaceProfile(run, app.tenant, profile, profiledFact(app, actor, profile));
      voided = await voidApprovals(run, app, lane);
      await tellOfVoids(run, app, voided);
    },
    event: (approved) => ({
      kind: 'profile_changed',
      subject: lane,
      severity: 'warning',
      did: `approved another profile for lane ${lane}, which leads to ${destinationOf(profileIn(approved)).origin}`,
    }),
  });
  return { profile: profileIn(proposal), voided };
}

/** What a program has sent, a program settles; what a person has in hand, that person ends. */
async function requireNothingInFlight(run: Run, app: Installation, after: Profile): Promise<void> {
  const stored = await storedLanes({ run }, app.tenant);
  const before = stored.find(({ state }) => state.code === after.code)?.profile;
  if (before === undefined) return;
  const wasByHand = readProfile(before, `lane ${after.code}`).driver === 'person';
  if (wasByHand === (after.driver === 'person')) return;
  const { submitted = 0 } =
    (await laneCounts({ run }, app.tenant, undefined)).find(({ lane }) => lane === after.code) ??
    {};
  if (submitted === 0) return;
  throw ruledOut(
    `${submitted} filings of lane ${after.code} are under way; the lane changes between a portal and people once they have ended`,
  );
}

export async function refuseProfile(
  app: Installation,
  actor: Actor,
  input: { readonly lane: string; readonly reason: string },
): Promise<void> {
  allow(actor, 'lane.decide');
  await refuseChange(app, actor, { kind: 'lane', subject: input.lane, reason: input.reason });
  await sequenceAll(app);
}

/** Stored as text in the terms of a proposal, so that these bytes are what the hash covers. */
function profileIn({ terms, subject }: Pick<StoredProposal, 'terms' | 'subject'>): Profile {
  const { profile } = terms;
  if (typeof profile !== 'string')
    throw notFound(`The proposal for lane ${subject} has no profile`);
  const read = readProfile(profile, `the proposal for lane ${subject}`);
  if (read.code === subject && destinationOf(read).profile_sha256 === terms['profile_sha256']) {
    return read;
  }
  throw new FilewrightError(
    'PROPOSAL_STALE',
    `The profile proposed for lane ${subject} was written by another version; refuse it and propose it again`,
  );
}
