/**
 * Notices of the manual tier. There is nobody below to whom a docket could go, so a notice that does not get through is
 * tried again until it does or somebody has the docket; a dead process's notice is taken over.
 */
import type { SealedPayload } from '../core/index.ts';
import { accessOf } from '../packs/patent/access/index.ts';
import { datesOf } from '../packs/patent/docket/index.ts';
import { type Hop, messageFor } from '../packs/patent/routing/index.ts';
import {
  databaseNow,
  docketPayloads,
  findDocket,
  type HandoffView,
  retryManualNotice,
  takeManualNotices,
  writeSteps,
} from '../store/index.ts';
import { docketOfRow } from './decide.ts';
import type { Handed, HandoverDesk } from './hand-over.ts';
import type { RoutingParts } from './parts.ts';
import { loadRouting } from './setup.ts';
import { NOTICE_LEASE_MS, type PendingHandover } from './step.ts';

const NOTICES_AT_ONCE = 20;
const AGAIN_MS_MIN = 1_000;
/** Within the two hours of its clock a notice has a hundred chances. */
const AGAIN_MS_MAX = 60_000;

export class ManualNotices {
  readonly #parts: RoutingParts;
  readonly #desk: HandoverDesk;
  readonly #signal: AbortSignal;

  constructor(parts: RoutingParts, desk: HandoverDesk, signal: AbortSignal) {
    this.#parts = parts;
    this.#desk = desk;
    this.#signal = signal;
  }

  async send(
    pending: PendingHandover,
    payload: SealedPayload | undefined,
    startedMs: number,
  ): Promise<void> {
    const at = { startedMs, signal: this.#signal };
    await this.#record(pending, await this.#desk.handOver(pending, payload, at), 1);
  }

  /** Those whose time has come again. Returns how many. */
  async sendDue(): Promise<number> {
    const { session, tenant, clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    const limits = { leaseMs: NOTICE_LEASE_MS, count: NOTICES_AT_ONCE };
    const due = await takeManualNotices(session, tenant, limits);
    if (due.length === 0) return 0;
    const payloads = await docketPayloads(
      session,
      tenant,
      due.map(({ docket }) => docket),
    );
    await Promise.all(
      due.map(async (notice) => {
        const pending = await this.#pendingOf(notice);
        if (pending === undefined) return;
        const at = { startedMs, signal: this.#signal };
        const handed = await this.#desk.handOver(pending, payloads.get(notice.docket), at);
        await this.#record(pending, handed, notice.attempt);
      }),
    );
    return due.length;
  }

  async #pendingOf(notice: HandoffView): Promise<PendingHandover | undefined> {
    const { session, tenant } = this.#parts;
    const routing = await loadRouting(this.#parts);
    const row = await findDocket(session, tenant, notice.docket);
    const target = routing.matrix.targets.get(notice.target);
    // Gone from the matrix, or given to somebody else: the next round of the two-hour clock asks whoever is there now.
    if (row === undefined || target?.party !== notice.party) return undefined;
    const docket = docketOfRow(row);
    const party = routing.people.parties.get(notice.party);
    // The same when its reader may see the docket no longer.
    if (party === undefined || !accessOf(docket, party, routing.people).may) return undefined;
    // Written with the intent, from a value of the rules.
    const hop = notice.hop as unknown as Hop;
    const message = messageFor(docket, hop, {
      dates: datesOf(docket, this.#parts.law(), await databaseNow(session)),
      matrixVersion: routing.matrix.version,
    });
    const { attempt, n } = notice;
    return { hop, attempt, target, message, reason: undefined, passed: [], row, n, routing };
  }

  async #record(pending: PendingHandover, handed: Handed, attempt: number): Promise<void> {
    const { session, tenant } = this.#parts;
    const docket = pending.row.id;
    const isThrough = handed.outcome.kind === 'sent' || handed.outcome.kind === 'confirmed';
    await session.transaction(async (run) => {
      if (isThrough) {
        await writeSteps(run, tenant, [], { started: [], ended: [{ docket, ...handed.ended }] });
        return;
      }
      const afterMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** Math.min(attempt, 10));
      const { evidence } = handed.ended;
      await retryManualNotice(run, tenant, { docket, n: pending.n }, { afterMs, evidence });
    });
  }
}
