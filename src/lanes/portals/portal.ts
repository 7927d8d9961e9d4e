import {
  type Exchange,
  invariant,
  type Portal,
  type Profile,
  type SendRequest,
  type StatusRequest,
  type WriteGuard,
} from '../../core/index.ts';
import { Exchanger, type PortalOptions } from './exchanger.ts';
import { closedAlready, notSent } from './not-sent.ts';
import { HtmlForm, type OpenedForm } from './html-form.ts';
import { JsonApi } from './json-api.ts';
import { fillRegistryPath } from './request-plan.ts';

export interface LanePortal extends Portal {
  /** Asks the portal's live registry about an entity number, where the profile has one. */
  lookUp(profile: Profile, number: string, guard: WriteGuard): Promise<Exchange>;
  /** Reads a page or document at a path below the base address; it has no effect. */
  read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange>;
  /**
   * Keeps one idle session alive, if one needs it by the profile. It is a request like any other, so the caller holds a
   * slot of the lane meanwhile. False when there was nothing to do.
   */
  tend(profile: Profile, guard: WriteGuard): Promise<Exchange | undefined>;
  /** Opens the form of an `html-form` portal and posts nothing. */
  openForm(profile: Profile, guard: WriteGuard): Promise<OpenedForm>;
  /**
   * Ends the connections and forgets the sessions of one lane, or of all lanes for good. Requests in flight come back
   * as failures; a lane closed by name starts afresh with its next request.
   */
  close(lane?: string): Promise<void>;
}

/** All outbound traffic to portals. Every outcome is a value; nothing is retried here. */
export function createPortal(options: PortalOptions): LanePortal {
  return new Drivers(options);
}

class Drivers implements LanePortal {
  private readonly exchanger: Exchanger;
  private readonly jsonApi: JsonApi;
  private readonly htmlForm: HtmlForm;

  constructor(options: PortalOptions) {
    this.exchanger = new Exchanger(options);
    this.jsonApi = new JsonApi(this.exchanger);
    this.htmlForm = new HtmlForm(this.exchanger);
  }

  // Without `async`: it is on the path of every filing, and another promise would be the dearest thing on it.
  send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    if (this.exchanger.isClosed) return Promise.resolve(closedAlready());
    return this.driver(request.profile).send(request, guard);
  }

  async ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    if (this.exchanger.isClosed) return closedAlready();
    return this.driver(request.profile).ask(request, guard);
  }

  async probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    if (this.exchanger.isClosed) return closedAlready();
    // Health has no form and no session.
    return this.jsonApi.probe(profile, guard);
  }

  async lookUp(profile: Profile, number: string, guard: WriteGuard): Promise<Exchange> {
    if (this.exchanger.isClosed) return closedAlready();
    const { registry } = profile;
    invariant(registry !== undefined, `Expected ${profile.code} to have a registry.`);
    const path = fillRegistryPath(this.exchanger.wireFor(profile).plan(profile), registry, number);
    if (path === undefined) return notSent('protocol', 'The registry path needs a number.');
    return this.driver(profile).read(profile, path, guard);
  }

  async read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange> {
    if (this.exchanger.isClosed) return closedAlready();
    const { basePath } = this.exchanger.wireFor(profile).plan(profile);
    return this.driver(profile).read(profile, basePath + path, guard);
  }

  async tend(profile: Profile, guard: WriteGuard): Promise<Exchange | undefined> {
    if (this.exchanger.isClosed || profile.driver !== 'html-form') return undefined;
    return this.htmlForm.tend(profile, guard);
  }

  async openForm(profile: Profile, guard: WriteGuard): Promise<OpenedForm> {
    if (this.exchanger.isClosed) return { kind: 'failed', failure: closedAlready() };
    return this.htmlForm.openForm(profile, guard);
  }

  distrust(lane: string): void {
    this.exchanger.distrust(lane);
  }

  close(lane?: string): Promise<void> {
    return this.exchanger.close(lane);
  }

  private driver(profile: Profile): JsonApi | HtmlForm {
    return profile.driver === 'json-api' ? this.jsonApi : this.htmlForm;
  }
}
