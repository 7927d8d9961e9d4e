import {
  type Exchange,
  hasStamp,
  type Instant,
  type Profile,
  stampWaitMs,
} from '../../core/index.ts';

interface Way {
  /** Which of the profile's addresses is in use. */
  index: number;
  /** The end of a block that was met on it. */
  blockedUntil: Instant | undefined;
}

/**
 * Which way out each lane takes. A block is waited out, never dodged: the next address is used only after the moment
 * that the portal itself named, and only where the profile says that the portal's terms allow it.
 */
export class EgressBook {
  // Bounded by the profiles of this installation.
  private readonly ways = new Map<string, Way>();
  private readonly now: () => Instant;

  constructor(now: () => Instant) {
    this.now = now;
  }

  /** The proxy to use now. Asked with each request of a lane that has one. */
  address(profile: Profile): string | undefined {
    const { egress } = profile;
    if (egress === undefined) return undefined;
    const way = this.wayOf(profile.code);
    if (way.blockedUntil !== undefined && this.now() >= way.blockedUntil) {
      way.blockedUntil = undefined;
      if (egress.afterBlock === 'next') way.index += 1;
    }
    return egress.proxies[way.index % egress.proxies.length];
  }

  note(profile: Profile, exchange: Exchange): void {
    const answer = exchange.kind === 'failure' ? exchange.answer : exchange;
    if (answer?.status !== 403 || !hasStamp(answer.headers)) return;
    const now = this.now();
    const waitMs = stampWaitMs(answer.headers, now);
    // A stamp that makes no sense names no moment after which another address would be allowed.
    if (waitMs === undefined) return;
    // `now` is an instant and the wait is a finite number of milliseconds.
    const until = (now + waitMs) as Instant;
    const way = this.wayOf(profile.code);
    if (way.blockedUntil === undefined || way.blockedUntil < until) way.blockedUntil = until;
  }

  private wayOf(lane: string): Way {
    const way = this.ways.get(lane) ?? { index: 0, blockedUntil: undefined };
    this.ways.set(lane, way);
    return way;
  }
}
