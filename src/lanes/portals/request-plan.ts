import { type Profile, type RegistryRule, trimEndOf, VERSION } from '../../core/index.ts';

/**
 * Everything about a profile's requests that does not change from one to the next, computed once: at thousands of
 * requests a second the strings below would otherwise be most of the garbage.
 */
export interface RequestPlan {
  /** What stands before every path of the profile. */
  readonly basePath: string;
  readonly submitPath: string;
  readonly statusPath: string | undefined;
  readonly healthPath: string;
  /** Full paths to which a redirect may lead. */
  readonly redirectPaths: ReadonlySet<string>;
  /** Names and values in turn, as undici takes them. */
  readonly headers: readonly string[];
}

// Seed 000 without its `If-None-Match: *`: a conditional POST asks the portal to refuse. Portals cache answers for
// days, so every request says that a stored one will not do; identity, because the exact bytes are the evidence.
const FIXED_HEADERS: readonly string[] = [
  'user-agent',
  `filewright/${VERSION}`,
  'cache-control',
  'no-cache, no-store, must-revalidate',
  'pragma',
  'no-cache',
  'accept-encoding',
  'identity',
];

export function planRequests(profile: Profile): RequestPlan {
  const basePath = trimEndOf(new URL(profile.baseUrl).pathname, '/');
  return {
    basePath,
    submitPath: basePath + profile.submit.path,
    statusPath: profile.status === undefined ? undefined : basePath + profile.status.path,
    healthPath: basePath + profile.health.path,
    redirectPaths: new Set(profile.redirects.map((path) => basePath + path)),
    headers: FIXED_HEADERS,
  };
}

// Longer ids are refused by servers as part of a path; ours have 36 characters.
const PLACE_CHARS_MAX = 512;

/**
 * The status path with its places filled in; undefined when a place has no value or one that must not become part of a
 * path. The submission id comes from the portal, so it may be anything.
 */
export function fillStatusPath(
  template: string,
  places: { readonly key: string; readonly submissionId?: string | undefined },
): string | undefined {
  let isComplete = true;
  const path = template.replaceAll(/\{(key|submissionId)\}/g, (_place, name: string) => {
    const value = encodePlace(name === 'key' ? places.key : places.submissionId);
    if (value === undefined) isComplete = false;
    return value ?? '';
  });
  return isComplete ? path : undefined;
}

/** The registry path of an entity number; undefined when it must not become part of a path. */
export function fillRegistryPath(
  plan: RequestPlan,
  registry: RegistryRule,
  number: string,
): string | undefined {
  const value = encodePlace(number);
  if (value === undefined) return undefined;
  return plan.basePath + registry.path.replaceAll('{number}', () => value);
}

function encodePlace(value: string | undefined): string | undefined {
  if (value === undefined || value === '' || value.length > PLACE_CHARS_MAX) return undefined;
  // A dot segment survives percent-encoding and would climb to another endpoint.
  if (value === '.' || value === '..' || /\p{Surrogate}/u.test(value)) return undefined;
  return encodeURIComponent(value);
}

/**
 * Where a redirect leads, as a path with its query, if the profile declares it; undefined otherwise. Only 302 and 303
 * lead to a GET; 307 and 308 ask for the filing to be sent a second time.
 */
export function declaredRedirect(
  plan: RequestPlan,
  answer: { readonly status: number; readonly location: string | undefined; readonly url: string },
): string | undefined {
  const { status, location, url } = answer;
  if ((status !== 302 && status !== 303) || location === undefined) return undefined;
  if (!URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  const isSameOrigin = target.origin === new URL(url).origin;
  const hasUser = target.username !== '' || target.password !== '';
  if (!isSameOrigin || hasUser || !plan.redirectPaths.has(target.pathname)) return undefined;
  return target.pathname + target.search;
}
