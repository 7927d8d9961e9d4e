import type { LookupFunction } from 'node:net';
import {
  type Clock,
  type Exchange,
  instant,
  type Profile,
  type WriteGuard,
} from '../../core/index.ts';
import { Credentials, type Dial, type Environment, operatorNetworks } from '../../wire/index.ts';
import { CollisionWatch, type SessionCollision } from './collision-watch.ts';
import { EgressBook } from './egress.ts';
import { ExchangeRun, type Leg } from './exchange-run.ts';
import { LaneWire, type WireOptions } from './lane-wire.ts';
import { LeaseWatch } from './lease-watch.ts';
import { PageReader } from './page-reader.ts';
import type { Session } from './session.ts';

export interface PortalOptions {
  /** Where `env:` references look, where the operator's list of secrets is, and which private networks are allowed. */
  readonly environment: Environment;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
  readonly clock?: Pick<Clock, 'monotonicMs'> & Partial<Pick<Clock, 'now'>>;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[];
  /** Told after the lanes of a session collision were isolated. */
  readonly onCollision?: (collision: SessionCollision) => void;
  /** How a TCP connection is opened; for tests. */
  readonly dial?: Dial;
}

/** Carries out single requests for the drivers, each lane on its own connections, sessions and way out. */
export class Exchanger {
  readonly monotonicMs: () => number;
  readonly credentials: Credentials;
  readonly pages = new PageReader();
  private readonly wireOptions: WireOptions;
  private readonly leases = new LeaseWatch();
  private readonly egress: EgressBook;
  private readonly onCollision: ((collision: SessionCollision) => void) | undefined;
  // Both bounded by the profiles of this installation.
  private readonly wires = new Map<string, LaneWire>();
  private readonly isolated = new Set<string>();
  isClosed = false;

  constructor(options: PortalOptions) {
    const { clock } = options;
    this.monotonicMs = clock === undefined ? () => performance.now() : () => clock.monotonicMs();
    this.egress = new EgressBook(() => clock?.now?.() ?? instant(Date.now()));
    this.onCollision = options.onCollision;
    const { environment } = options;
    this.credentials = new Credentials({ environment, monotonicMs: this.monotonicMs });
    this.wireOptions = {
      lookup: options.lookup,
      monotonicMs: this.monotonicMs,
      certificateAuthorities: options.certificateAuthorities,
      dial: options.dial,
      watch: new CollisionWatch((collision) => this.isolate(collision)),
      credential: (reference, host) => this.credentials.resolve(reference, host),
      networks: operatorNetworks(environment),
    };
  }

  wireFor(profile: Profile): LaneWire {
    const proxy = profile.egress === undefined ? undefined : this.egress.address(profile);
    const existing = this.wires.get(profile.code);
    if (existing?.fits(profile, proxy) === true) return existing;
    // The profile or the way out changed under the lane: what is in flight finishes on the old terms.
    existing?.connections.retire();
    const wire = new LaneWire(profile, this.wireOptions, proxy);
    this.wires.set(profile.code, wire);
    return wire;
  }

  /** True once after a collision: the filing that asks reports it, and the lane's rules hold the lane. */
  takeIsolation(lane: string): boolean {
    return this.isolated.size > 0 && this.isolated.delete(lane);
  }

  distrust(lane: string): void {
    this.wires.get(lane)?.connections.distrust();
  }

  async close(lane?: string): Promise<void> {
    const closing = lane === undefined ? [...this.wires.keys()] : [lane];
    if (lane === undefined) this.isClosed = true;
    const wires = closing.flatMap((code) => this.wires.get(code) ?? []);
    for (const code of closing) this.wires.delete(code);
    await Promise.all(wires.map((wire) => wire.destroy()));
    if (lane === undefined) await this.pages.close();
  }

  exchange(
    wire: LaneWire,
    profile: Profile,
    guard: WriteGuard,
    request: { readonly leg: Leg; readonly key: string | undefined; readonly session: Session },
  ): Promise<Exchange> {
    return new Promise((settle) => {
      const { leg, key, session } = request;
      const plan = wire.plan(profile);
      const { timeoutMs } = profile;
      const { leases, monotonicMs } = this;
      const resolve = profile.egress === undefined ? settle : this.noting(profile, settle);
      const options = {
        wire,
        plan,
        profile,
        session,
        guard,
        leases,
        timeoutMs,
        monotonicMs,
        resolve,
      };
      const run = new ExchangeRun(options);
      run.begin();
      const headers = [...plan.headers];
      if (key !== undefined) headers.push(profile.idempotency.header, key);
      if (this.addCachedCredentials(headers, profile, wire.host)) run.send(leg, headers);
      else this.sendWithCredentials(run, leg, headers, { profile, host: wire.host });
    });
  }

  private noting(
    profile: Profile,
    settle: (exchange: Exchange) => void,
  ): (exchange: Exchange) => void {
    return (exchange) => {
      this.egress.note(profile, exchange);
      settle(exchange);
    };
  }

  /** False when one has to be read first; on the path of every request, so without a promise. */
  private addCachedCredentials(headers: string[], profile: Profile, host: string): boolean {
    const length = headers.length;
    for (const { header, value } of profile.credentials) {
      const secret = this.credentials.cached(value, host);
      if (secret === undefined) {
        headers.length = length;
        return false;
      }
      headers.push(header, secret);
    }
    return true;
  }

  private sendWithCredentials(
    run: ExchangeRun,
    leg: Leg,
    headers: readonly string[],
    { profile, host }: { readonly profile: Profile; readonly host: string },
  ): void {
    const reading = profile.credentials.map(async ({ header, value }) => [
      header,
      await this.credentials.resolve(value, host),
    ]);
    Promise.all(reading).then(
      (read) => run.send(leg, [...headers, ...read.flat()]),
      (error: unknown) => run.fail('credential', error instanceof Error ? error.message : '?'),
    );
  }

  /**
   * Both lanes lose their idle connections, sessions and cookies at once (there is no DNS cache to flush). A request in
   * flight still gets its answer, because cutting it would make an unknown outcome out of a receipt; its connection is
   * then dropped.
   */
  private isolate(collision: SessionCollision): void {
    for (const lane of new Set([collision.lane, collision.otherLane])) {
      const wire = this.wires.get(lane);
      this.wires.delete(lane);
      wire?.connections.retire();
      wire?.sessions.end('collision');
      this.isolated.add(lane);
    }
    this.onCollision?.(collision);
  }
}
