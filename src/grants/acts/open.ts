import { type ActName, type Actor, allow } from '../../access/index.ts';
import type { Clock } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import { grantsLawFrom } from '../rules/law.ts';
import { openPipeline } from '../pipeline/open-pipeline.ts';
import type { Pipeline } from '../pipeline/contracts.ts';
import { shippedLaw } from '../../system/index.ts';

/** A method that is not named here does not compile, and cannot be called. */
type ActsOf<Part> = { readonly [Method in keyof Part]: ActName };

type Steps = Omit<Pipeline, 'withdrawals' | 'exceptions'>;

const STEPS: ActsOf<Steps> = {
  ingestAwards: 'grants.ingest',
  fetchAwards: 'grants.fetch',
  runFetchQueue: 'grants.retry',
  amend: 'grants.amend',
  cancelAward: 'grants.cancel-award',
  ingestFeed: 'grants.ingest-feed',
  verifyGrantor: 'grants.verify',
  runRetryQueue: 'grants.retry',
  reconcilePeriod: 'grants.reconcile',
  resolve: 'grants.resolve',
  undo: 'grants.undo',
  unmatched: 'grants.unmatched',
  lines: 'grants.lines',
  awards: 'grants.awards',
  statements: 'grants.statements',
  stateBalance: 'grants.state-balance',
  previewClosing: 'grants.preview-closing',
  closePeriod: 'grants.close',
  attachRegistrationCheck: 'grants.attach-check',
  release: 'grants.release',
  periods: 'grants.periods',
  evaluateRules: 'grants.evaluate',
  reportFigures: 'grants.report',
  trace: 'grants.trace',
  status: 'grants.status',
};
const WITHDRAWALS: ActsOf<Pipeline['withdrawals']> = {
  list: 'grants.withdrawal.list',
  propose: 'grants.withdrawal.propose',
  decide: 'grants.withdrawal.decide',
};
const EXCEPTIONS: ActsOf<Pipeline['exceptions']> = {
  list: 'grants.exception.list',
  show: 'grants.exception.show',
  propose: 'grants.exception.propose',
  approve: 'grants.exception.approve',
  withdraw: 'grants.exception.withdraw',
  reingest: 'grants.exception.reingest',
};

/**
 * What opens sealed data for whoever asks. The stages' own work opens it too, and shows nothing of it: bank lines are
 * matched, an award is replaced, and the entries of that work name its person.
 */
const OPENING: ReadonlySet<ActName> = new Set([
  'grants.awards',
  'grants.evaluate',
  'grants.exception.show',
  'grants.lines',
  'grants.report',
  'grants.trace',
  'grants.unmatched',
]);

/**
 * The pipeline of this installation for one actor, with the law as shipped. Another clock is for those who play a year in
 * a minute.
 */
export function openGrants(app: Installation, actor: Actor, clock: Clock = app.clock): Pipeline {
  const { session, tenant, instance, tenantKey, ids, random } = app;
  const law = grantsLawFrom(shippedLaw());
  const parts = { session, tenant, instance, tenantKey, ids, random, clock, law };
  const opening = (act: ActName, subject: string): Promise<void> =>
    noteOpened(app, actor, act, subject);
  return guarded(openPipeline(parts), actor, opening);
}

type Opening = (act: ActName, subject: string) => Promise<void>;

export function guarded(pipeline: Pipeline, actor: Actor, opening: Opening): Pipeline {
  return {
    ...asked<Steps>(pipeline, STEPS, actor, opening),
    withdrawals: asked(pipeline.withdrawals, WITHDRAWALS, actor, opening),
    exceptions: asked(pipeline.exceptions, EXCEPTIONS, actor, opening),
  };
}

/** Each method asks first whether the actor may. */
function asked<Part extends object>(
  part: Part,
  acts: Readonly<Record<string, ActName>>,
  actor: Actor,
  opening: Opening,
): Part {
  const methods = Object.entries(acts).map(([name, act]) => {
    const method = async (...input: unknown[]): Promise<unknown> => {
      allow(actor, act);
      const [subject] = input;
      if (OPENING.has(act)) await opening(act, typeof subject === 'string' ? subject : 'all');
      // One of the part's own methods, by the table above.
      const step = Reflect.get(part, name) as (...given: unknown[]) => Promise<unknown>;
      return step.apply(part, input);
    };
    return [name, method] as const;
  });
  // Its type says that every method has its act, so that every method is there.
  return Object.fromEntries(methods) as Part;
}
