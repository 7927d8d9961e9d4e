import { hash } from 'node:crypto';
import { decodeJson, type Instant, textAt } from '../../core/index.ts';
import { needPayload, type Own } from '../../lanes/index.ts';
import { Examiner, type Objection } from './examiner.ts';
import type { PageEndpoints } from './page-endpoints.ts';
import type { AnswerPlan, PortalRequest } from './plan.ts';
import { type Handled, honest, type PortalState } from './portal-state.ts';
import { respond } from './submit-answers.ts';
import { SubmitEndpoint } from './submit-endpoint.ts';

/** A submission as the portal reads it. */
export interface Filing {
  readonly key: string;
  readonly sha256: string;
  readonly payload: unknown;
  readonly fields: URLSearchParams;
}

const NO_FIELDS = new URLSearchParams();
export const NO_FILING: Filing = { key: '', sha256: '', payload: undefined, fields: NO_FIELDS };

/** Before the endpoint that takes filings: reads them, asks for the session, examines the payload. */
export class Reception {
  private readonly state: PortalState;
  private readonly pages: PageEndpoints | undefined;
  private readonly latencyMs: () => number;
  private readonly submitEndpoint: SubmitEndpoint;
  private readonly examiner: Examiner;

  constructor(state: PortalState, pages: PageEndpoints | undefined, latencyMs: () => number) {
    this.state = state;
    this.pages = pages;
    this.latencyMs = latencyMs;
    this.submitEndpoint = new SubmitEndpoint(state);
    this.examiner = new Examiner(state.profile);
  }

  /** What a submission says; for a form its fields are put back into a payload, so that its hash means something. */
  read(request: PortalRequest): Filing {
    const { pages, submitEndpoint } = this;
    if (pages === undefined) {
      const sha256 = hash('sha256', request.body, 'hex');
      const payload = this.isRead ? decodeJson(request.body) : undefined;
      return { key: submitEndpoint.keyOf(request, sha256), sha256, payload, fields: NO_FIELDS };
    }
    const fields = pages.fieldsOf(request);
    const payload = pages.payloadOf(fields);
    const sha256 = hash('sha256', JSON.stringify(payload), 'hex');
    const key = pages.keyOf(fields) ?? submitEndpoint.keyOf(request, sha256);
    return { key, sha256, payload, fields };
  }

  /** Payloads are read only where something hangs on them: thousands come in a second. */
  private get isRead(): boolean {
    const { receipt, status } = this.state.profile;
    return this.examiner.isStrict || needPayload(receipt.echoes) || needPayload(status?.echoes);
  }

  take(number: number, request: PortalRequest, filing: Filing, now: Instant): Handled {
    const { pages, examiner } = this;
    const { key, sha256, payload, fields } = filing;
    const { behaviour, bodies, truth } = this.state;
    const door = pages?.enter(request, fields, now);
    if (door?.kind === 'shut') return honest(door.answer, this.wait(number));
    if (examiner.isStrict) {
      const objection = examiner.examine(payload, behaviour.unknownEntities, now);
      if (objection !== undefined) return this.objected(objection, { number, key, now });
      if (examiner.isDuplicate(payload, key, now)) {
        truth.countRefusal('duplicate');
        const answer = respond(409, bodies.problem('DUPLICATE', 'Filed before.'));
        return honest(answer, this.wait(number));
      }
    }
    const own: Own = (of) => (of === 'key' ? key : textAt(payload, of));
    const handled = this.submitEndpoint.take({ number, key, sha256, now, own }, this.latencyMs);
    if (handled.acceptsAfterMs !== undefined) examiner.noteTaken(payload, key, now);
    if (door === undefined || handled.fault !== undefined) return handled;
    return { ...handled, answer: pages?.afterPost(handled.answer, door.guest) ?? handled.answer };
  }

  private objected(
    { code, field }: Objection,
    { number, key, now }: { readonly number: number; readonly key: string; readonly now: Instant },
  ): Handled {
    const { state } = this;
    const { truth } = state;
    const delayMs = this.wait(number);
    truth.countRefusal('examined');
    const submission = truth.open(key);
    if (submission?.acceptances.length === 0) {
      truth.rule(submission, { kind: 'refused', at: now + delayMs });
    }
    // A form comes back with its error and a 200; an interface has a status for it.
    const status = state.profile.form?.refusal === undefined ? 422 : 200;
    return honest(respond(status, state.bodies.rejection(code, field)), delayMs);
  }

  /** The live registry, where the profile has one. */
  registry(request: PortalRequest): AnswerPlan | undefined {
    const rule = this.state.profile.registry;
    const [head = '', tail = ''] = rule?.path.split('{number}') ?? [];
    const { path } = request;
    const isHere = path.startsWith(head) && path.endsWith(tail) && request.method === 'GET';
    if (rule === undefined || !isHere) return undefined;
    const number = decodeURIComponent(path.slice(head.length, path.length - tail.length));
    const isKnown = this.examiner.registered(number, this.state.behaviour.unknownEntities);
    const word = isKnown ? rule.active[0] : rule.notFound[0];
    const { bodies, behaviour } = this.state;
    const named = behaviour.registry === 'for_another' ? `${number}9` : number;
    return respond(isKnown ? 200 : 404, bodies.registry(rule, word ?? '', named));
  }

  /** How long a refusal before the endpoint takes; its dice are its own, so that the endpoint’s stay as they were. */
  private wait(number: number): number {
    this.state.dice.reseed(this.state.behaviour.seed, 'front desk', number);
    return this.latencyMs();
  }
}
