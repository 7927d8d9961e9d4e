/**
 * Notices of the manual tier. There is nobody below to whom a docket could go, so a notice that does not get through is
 * tried again until it does or somebody has the docket; a dead process's notice is taken over. Letters to one mailbox
 * that come together are one letter.
 */
import type { SealedPayload } from '../../core/index.ts';
import { accessOf } from '../rules/access/rights.ts';
import { datesOf } from '../rules/docket/dates.ts';
import { messageFor } from '../rules/routing/message.ts';
import { collectManualNotices } from '../store/manual.ts';
import { databaseNow } from '../store/steps.ts';
import { docketPayloads, findDocket } from '../store/dockets.ts';
import { type HandoffView, retryManualNotice, takeManualNotices } from '../store/handoffs.ts';
import type { Handed, HandoffSender } from './hand-over.ts';
import { LETTER_WAIT_MS, NOTICE_LEASE_MS } from './notice-times.ts';
import type { RoutingDeps } from './deps.ts';
import { activeRouting, type ActiveRouting } from './setup.ts';
import type { Telling } from './step.ts';
import type { PendingHandover } from './pending-handover.ts';

/** In one letter at most, and in hand at once: some hundred kilobytes of text. */
const NOTICES_AT_ONCE = 500;
/** However long a wave of dockets goes on, the first of them is told of within this time. */
const LETTER_WAIT_MS_MAX = 60_000;
const AGAIN_MS_MIN = 1_000;
/** Within the two hours of its clock a notice has a hundred chances. */
const AGAIN_MS_MAX = 60_000;

interface NoticeDeps {
  readonly sender: HandoffSender;
  readonly signal: AbortSignal;
  /** What became of a notice goes to its docket: only then somebody was told, or the next one is asked. */
  readonly tell: (telling: Telling) => Promise<void>;
}

interface Pending {
  readonly pending: PendingHandover;
  readonly payload: SealedPayload | undefined;
  readonly attempt: number;
}

export class ManualNotices {
  readonly #deps: RoutingDeps;
  readonly #notices: NoticeDeps;
  #routing: ActiveRouting | undefined;

  constructor(deps: RoutingDeps, notices: NoticeDeps) {
    this.#deps = deps;
    this.#notices = notices;
  }

  /** Directly after its intent; a letter waits for others to the same mailbox, and `sendDue` finds it. */
  async send(
    pending: PendingHandover,
    payload: SealedPayload | undefined,
    startedMs: number,
  ): Promise<void> {
    if (pending.target.kind === 'mail') return;
    await this.#handOver([{ pending, payload, attempt: 1 }], startedMs);
  }

  /** Those whose time has come, first or again. Returns how many. */
  async sendDue(): Promise<number> {
    const { session, tenant, clock } = this.#deps;
    const routing = await activeRouting(this.#deps, session, this.#routing);
    this.#routing = routing;
    if (routing === undefined) return 0;
    await collectManualNotices(session, tenant, mailboxesOf(routing), {
      quietMs: LETTER_WAIT_MS,
      wholeMs: LETTER_WAIT_MS_MAX,
    });
    const startedMs = clock.monotonicMs();
    const limits = { leaseMs: NOTICE_LEASE_MS, count: NOTICES_AT_ONCE };
    const due = await takeManualNotices(session, tenant, limits);
    if (due.length === 0) return 0;
    const found = await this.#pendingOf(due, routing);
    await Promise.all(groupsOf(found).map((group) => this.#handOver(group, startedMs)));
    return due.length;
  }

  async #pendingOf(due: readonly HandoffView[], routing: ActiveRouting): Promise<Pending[]> {
    const { session, tenant } = this.#deps;
    const dockets = due.map(({ docket }) => docket);
    const payloads = await docketPayloads(session, tenant, dockets);
    const found: Pending[] = [];
    for (const notice of due) {
      const pending = await this.#pending(notice, routing);
      const { docket, attempt } = notice;
      if (pending !== undefined) {
        found.push({ pending, payload: payloads.get(docket), attempt });
      }
    }
    return found;
  }

  async #pending(
    notice: HandoffView,
    routing: ActiveRouting,
  ): Promise<PendingHandover | undefined> {
    const { session, tenant } = this.#deps;
    const row = await findDocket(session, tenant, notice.docket);
    const target = routing.matrix.targets.get(notice.target);
    // Gone from the matrix, or given to somebody else: the next round of the two-hour clock asks whoever is there now.
    if (row === undefined || target?.party !== notice.party) return undefined;
    const docket = row.docket;
    const party = routing.people.parties.get(notice.party);
    // The same when its reader may see the docket no longer.
    if (party === undefined || !accessOf(docket, party, routing.people).may) return undefined;
    const { hop } = notice;
    const message = messageFor(docket, hop, {
      dates: datesOf(docket, this.#deps.law(), await databaseNow(session)),
      matrixVersion: routing.matrix.version,
    });
    const { attempt, n } = notice;
    return { hop, attempt, target, message, reason: undefined, passed: [], row, n, routing };
  }

  async #handOver(group: readonly Pending[], startedMs: number): Promise<void> {
    const { sender, signal } = this.#notices;
    const at = { startedMs, signal };
    const [first] = group;
    if (first === undefined) return;
    const handed =
      group.length === 1
        ? [await sender.handOver(first.pending, first.payload, at)]
        : await sender.handOverTogether(
            group.map(({ pending }) => pending),
            at,
          );
    await Promise.all(
      group.map(async ({ pending, attempt }, index) => {
        const one = handed[index];
        if (one !== undefined) await this.#record(pending, one, attempt);
      }),
    );
  }

  /** A crash before it leaves a notice that is sent once more under the same id: told twice, never not at all. */
  async #record(pending: PendingHandover, handed: Handed, attempt: number): Promise<void> {
    const { session, tenant } = this.#deps;
    const { row, hop, n } = pending;
    const { result, ended } = handed;
    const happening = { kind: 'outcome', hop, attempt, result } as const;
    if (isOver(handed)) {
      await this.#notices.tell({ docket: row.id, happening, ended });
      return;
    }
    const afterMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** Math.min(attempt, 10));
    const { evidence } = ended;
    const again = { afterMs, evidence };
    await session.transaction((run) =>
      retryManualNotice(run, tenant, { docket: row.id, n }, again),
    );
    await this.#notices.tell({ docket: row.id, happening });
  }
}

/** Through, or in vain for good: neither is tried again. */
function isOver({ result }: Handed): boolean {
  return !['failed', 'unknown', 'not_made'].includes(result.kind);
}

function mailboxesOf({ matrix }: ActiveRouting): string[] {
  return [...matrix.targets.values()].flatMap(({ id, kind }) => (kind === 'mail' ? [id] : []));
}

/** What goes to one mailbox and one reader goes together; everything else goes alone. */
function groupsOf(found: readonly Pending[]): readonly (readonly Pending[])[] {
  const groups = new Map<string, Pending[]>();
  for (const one of found) {
    const { target, hop, n, row } = one.pending;
    const key = JSON.stringify(target.kind === 'mail' ? [target.id, hop.party] : [row.id, n]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}
