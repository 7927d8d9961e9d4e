import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  type Clock,
  type Exchange,
  type FailureCode,
  invariant,
  type Portal,
  type Profile,
  type SendRequest,
  type StatusRequest,
  type WriteGuard,
} from '../core/index.ts';
import type { Dial } from './connector.ts';
import { Credentials, type Environment } from './credentials.ts';
import { ExchangeRun, type Leg } from './exchange-run.ts';
import { LaneWire, type WireOptions } from './lane-wire.ts';
import { LeaseWatch } from './lease-watch.ts';
import { fillStatusPath } from './request-plan.ts';

export interface PortalOptions {
  /** Where `env:` references look, and what `command:` references inherit. */
  readonly environment: Environment;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
  readonly clock?: Pick<Clock, 'monotonicMs'>;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[];
  /** How a TCP connection is opened; for tests. */
  readonly dial?: Dial;
}

export interface JsonApiPortal extends Portal {
  /**
   * Ends the connections and forgets the cookies of one lane (after a session collision, say), or of all lanes for
   * good. Requests in flight come back as failures; a lane closed by name starts afresh with its next request.
   */
  close(lane?: string): Promise<void>;
}

/** The driver `json-api`: one filing is one request with a JSON body. Every outcome is a value; nothing is retried. */
export function createPortal(options: PortalOptions): JsonApiPortal {
  return new JsonApi(options);
}

class JsonApi implements JsonApiPortal {
  private readonly wireOptions: WireOptions;
  private readonly credentials: Credentials;
  private readonly monotonicMs: () => number;
  private readonly leases = new LeaseWatch();
  // Bounded by the profiles of this installation.
  private readonly wires = new Map<string, LaneWire>();
  private isClosed = false;

  constructor(options: PortalOptions) {
    const { clock } = options;
    this.monotonicMs = clock === undefined ? () => performance.now() : () => clock.monotonicMs();
    this.credentials = new Credentials({
      environment: options.environment,
      monotonicMs: this.monotonicMs,
    });
    this.wireOptions = {
      lookup: options.lookup ?? systemLookup,
      monotonicMs: this.monotonicMs,
      certificateAuthorities: options.certificateAuthorities,
      dial: options.dial,
    };
  }

  send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, payload: body, contentType } = request;
    const { method } = profile.submit;
    if (this.isClosed) return closedAlready();
    const wire = this.wireFor(profile);
    const path = wire.plan(profile).submitPath;
    return this.exchange(wire, profile, guard, { method, path, body, contentType }, key);
  }

  async ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, submissionId } = request;
    if (this.isClosed) return closedAlready();
    const wire = this.wireFor(profile);
    const { statusPath } = wire.plan(profile);
    invariant(statusPath !== undefined, `Expected ${profile.code} to have a status endpoint.`);
    const path = fillStatusPath(statusPath, { key, submissionId });
    if (path === undefined) return notSent('protocol', 'The status path needs a submission id.');
    const leg = { method: 'GET', path, body: null, contentType: undefined } as const;
    return this.exchange(wire, profile, guard, leg, key);
  }

  probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    if (this.isClosed) return closedAlready();
    const wire = this.wireFor(profile);
    const path = wire.plan(profile).healthPath;
    const leg = { method: profile.health.method, path, body: null, contentType: undefined };
    return this.exchange(wire, profile, guard, leg, undefined);
  }

  async close(lane?: string): Promise<void> {
    const closing = lane === undefined ? [...this.wires.keys()] : [lane];
    if (lane === undefined) this.isClosed = true;
    const wires = closing.flatMap((code) => this.wires.get(code) ?? []);
    for (const code of closing) this.wires.delete(code);
    await Promise.all(wires.map((wire) => wire.destroy()));
  }

  private exchange(
    wire: LaneWire,
    profile: Profile,
    guard: WriteGuard,
    leg: Leg,
    key: string | undefined,
  ): Promise<Exchange> {
    return new Promise((resolve) => {
      const plan = wire.plan(profile);
      const { timeoutMs } = profile;
      const { leases, monotonicMs } = this;
      const run = new ExchangeRun({ wire, plan, guard, leases, timeoutMs, monotonicMs, resolve });
      run.begin();
      const headers = [...plan.headers];
      if (key !== undefined) headers.push(profile.idempotency.header, key);
      if (this.addCachedCredentials(headers, profile)) run.send(leg, headers);
      else this.sendWithCredentials(run, leg, headers, profile);
    });
  }

  /** False when one has to be read first; on the path of every request, so without a promise. */
  private addCachedCredentials(headers: string[], profile: Profile): boolean {
    const length = headers.length;
    for (const { header, value } of profile.credentials) {
      const secret = this.credentials.cached(value);
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
    profile: Profile,
  ): void {
    const reading = profile.credentials.map(async ({ header, value }) => [
      header,
      await this.credentials.resolve(value),
    ]);
    Promise.all(reading).then(
      (read) => run.send(leg, [...headers, ...read.flat()]),
      (error: unknown) => run.fail('credential', error instanceof Error ? error.message : '?'),
    );
  }

  private wireFor(profile: Profile): LaneWire {
    const existing = this.wires.get(profile.code);
    if (existing?.fits(profile) === true) return existing;
    // The profile changed under the lane: what is in flight finishes on the old terms.
    existing?.retire();
    const wire = new LaneWire(profile, this.wireOptions);
    this.wires.set(profile.code, wire);
    return wire;
  }
}

function closedAlready(): Promise<Exchange> {
  return Promise.resolve(notSent('connect', 'The portal connections are closed.'));
}

function notSent(code: FailureCode, message: string): Exchange {
  return { kind: 'failure', written: false, code, message, elapsedMs: 0 };
}
