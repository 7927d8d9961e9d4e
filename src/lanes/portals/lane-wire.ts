import type { LookupFunction } from 'node:net';
import type { Profile } from '../../core/index.ts';
import {
  type AllowedPrivate,
  Connections,
  type Dial,
  type ProxyOptions,
  targetOf,
} from '../../wire/index.ts';
import type { CollisionWatch } from './collision-watch.ts';
import { LoginDoor } from './login-door.ts';
import { RivalWatch } from './rival-watch.ts';
import { planRequests, type RequestPlan } from './request-plan.ts';
import { SessionPool } from './session-pool.ts';

export interface WireOptions {
  readonly lookup: LookupFunction | undefined;
  readonly monotonicMs: () => number;
  readonly certificateAuthorities: readonly string[] | undefined;
  readonly dial: Dial | undefined;
  readonly watch: CollisionWatch;
  /** The private networks that the operator allows, to portals whose profile asks for it. */
  readonly networks: AllowedPrivate;
  /** Reads a credential reference that is meant for a host. */
  readonly credential: (reference: string, host: string) => Promise<string>;
}

/** The connections and cookies of one lane. Nothing in here is reachable from another lane. */
export class LaneWire {
  readonly origin: string;
  /** With its port, where it has one of its own. */
  readonly host: string;
  readonly connections: Connections;
  readonly sessions: SessionPool;
  readonly door: LoginDoor;
  readonly rivals: RivalWatch;
  private readonly connectionTerms: string;
  private profile: Profile;
  private currentPlan: RequestPlan;

  constructor(profile: Profile, options: WireOptions, proxy: string | undefined) {
    const { lookup, certificateAuthorities, dial, watch, monotonicMs } = options;
    this.profile = profile;
    this.currentPlan = planRequests(profile);
    this.connectionTerms = connectionTerms(profile, proxy);
    const { origin, host } = new URL(profile.baseUrl);
    this.origin = origin;
    this.host = host;
    const rule = profile.session;
    this.sessions = new SessionPool({ lane: profile.code, origin, rule, watch }, monotonicMs);
    this.door = new LoginDoor(monotonicMs);
    this.rivals = new RivalWatch(monotonicMs);
    this.connections = new Connections(origin, {
      allowPrivateAddresses: profile.allowPrivateAddresses && options.networks,
      connectMsMax: profile.timeoutMs,
      tlsHandshakeMsMax: profile.tlsHandshakeMsMax,
      certificateAuthorities,
      lookup,
      monotonicMs,
      proxy: proxy === undefined ? undefined : proxyOptions(proxy, profile, options),
      dial,
    });
  }

  /** False when the profile has changed so that open connections no longer obey it. */
  fits(profile: Profile, proxy: string | undefined): boolean {
    if (profile === this.profile && proxy === undefined) return true;
    return connectionTerms(profile, proxy) === this.connectionTerms;
  }

  plan(profile: Profile): RequestPlan {
    if (profile !== this.profile) {
      this.profile = profile;
      this.currentPlan = planRequests(profile);
    }
    return this.currentPlan;
  }

  /** Ends everything at once; requests in flight fail as `cut`. */
  async destroy(): Promise<void> {
    this.sessions.end('closed');
    await this.connections.destroy();
  }
}

function connectionTerms(profile: Profile, proxy: string | undefined): string {
  const { baseUrl, allowPrivateAddresses, timeoutMs, tlsHandshakeMsMax, session } = profile;
  return JSON.stringify([
    baseUrl,
    allowPrivateAddresses,
    timeoutMs,
    tlsHandshakeMsMax,
    session,
    proxy,
    profile.egress?.authorization,
  ]);
}

function proxyOptions(
  address: string,
  { egress }: Profile,
  { credential, networks }: WireOptions,
): ProxyOptions {
  const { host, port } = targetOf(new URL(address));
  const reference = egress?.authorization;
  return {
    host,
    port,
    allowPrivateAddresses: networks,
    authorization:
      reference === undefined ? undefined : () => credential(reference, new URL(address).host),
  };
}
