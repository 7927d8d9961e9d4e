/** What is read over a lane like from any portal: award documents, and a grantor's own ledger, unless he sent it as a file. */
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type Instant,
  type JsonValue,
  parseStrictJson,
  ruledOut,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { type LaneAccess, lanes, type LaneWithProfile, requireLane } from '../../lanes/index.ts';
import type { GrantorLedger, LaneToRead } from '../pipeline/contracts.ts';
import { laneLedger } from '../pipeline/lane-ledger.ts';

/** Reads from a lane in a slot of its own; a lane that rests, rests for this too. */
export async function readingLane<Result>(
  app: Installation & LaneAccess,
  actor: Actor,
  code: string,
  work: (lane: LaneToRead) => Promise<Result>,
): Promise<Result> {
  allow(actor, 'grants.read-lane');
  const lane = requireLane(await lanes(app), code);
  const obstacle = obstacleTo(lane, app.clock.now());
  if (obstacle === undefined) {
    return app.reading({ code: lane.state.code, profile: lane.profile }, work);
  }
  throw ruledOut(
    `Lane ${code} ${obstacle}; download the document and import it as a file, or try later`,
  );
}

function obstacleTo({ state, profile }: LaneWithProfile, now: Instant): string | undefined {
  if (profile.automation !== 'allowed') return 'does not allow automation';
  const { pause } = state;
  if (pause.kind === 'held') return `is held (${pause.reason})`;
  return pause.kind === 'until' && pause.until > now ? `is paused (${pause.reason})` : undefined;
}

/** `path` is below the lane's base address; `{grantor}` is replaced. */
export function ledgerOfLane(code: string, lane: LaneToRead, path: string): GrantorLedger {
  const pathOf = (grantor: string): string =>
    path.replaceAll('{grantor}', () => encodeURIComponent(grantor));
  return laneLedger(code, lane, pathOf);
}

/** In place of a lane's code, which is never in lower case. */
const FILE = 'file';

/** A file that is no JSON is refused at once: somebody is there to give the right one. */
export function ledgerOfFile(path: string, bytes: Uint8Array): GrantorLedger {
  let document: JsonValue;
  try {
    document = parseStrictJson(bytes);
  } catch (cause) {
    if (!(cause instanceof FilewrightError)) throw cause;
    throw new FilewrightError(cause.code, `${path}: ${cause.message}`, { cause });
  }
  const read = () => Promise.resolve({ kind: 'read', document } as const);
  return { code: FILE, mayRead: () => true, read };
}
