import type { Profile } from '../../core/index.ts';
import type { Endpoint } from './faults.ts';

/** Where a request goes. `key` and `submissionId` are those of a status path; empty when the path has none. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly key: string;
  readonly submissionId: string;
  /** A path that the profile names, asked for with another method. */
  readonly wrongMethod: boolean;
}

const SUBMIT: Route = { endpoint: 'submit', key: '', submissionId: '', wrongMethod: false };
const HEALTH: Route = { endpoint: 'health', key: '', submissionId: '', wrongMethod: false };
const NOWHERE: Route = { endpoint: 'other', key: '', submissionId: '', wrongMethod: false };
const WRONG_METHOD: Route = { endpoint: 'other', key: '', submissionId: '', wrongMethod: true };

/** Finds the endpoint of a request from the paths in the profile. */
export class Routes {
  private readonly profile: Profile;
  private readonly status: RegExp | undefined;

  constructor(profile: Profile) {
    this.profile = profile;
    this.status = profile.status === undefined ? undefined : pathPattern(profile.status.path);
  }

  match(method: string, path: string): Route {
    const { submit, health } = this.profile;
    if (path === submit.path && method === submit.method) return SUBMIT;
    // HEAD is GET without the body, for every portal.
    if (path === health.path && (method === health.method || method === 'HEAD')) return HEALTH;
    const groups = this.status?.exec(path)?.groups;
    if (groups !== undefined && method === 'GET') {
      const key = decoded(groups['key'] ?? '');
      const submissionId = decoded(groups['submissionId'] ?? '');
      return { endpoint: 'status', key, submissionId, wrongMethod: false };
    }
    const known = path === submit.path || path === health.path || groups !== undefined;
    return known ? WRONG_METHOD : NOWHERE;
  }
}

function pathPattern(path: string): RegExp {
  const source = path
    .split(/(\{key\}|\{submissionId\})/)
    .map((part) => {
      if (part === '{key}') return '(?<key>[^/?&#]*)';
      if (part === '{submissionId}') return '(?<submissionId>[^/?&#]*)';
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  // The empty group makes `groups` present for a path that names neither.
  return new RegExp(`^(?<path>)${source}$`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape names no key that was ever submitted; the portal answers "not found" for the text as it stands.
    return text;
  }
}
