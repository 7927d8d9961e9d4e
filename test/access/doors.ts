/** Every function through which a person or a program does an act: what acts files hand to the command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../src/access/actor.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { guarded } from '../../src/grants/acts/open.ts';
import type { Pipeline } from '../../src/grants/pipeline/contracts.ts';
import { ROOT } from '../fixtures/built-tree.ts';

/**
 * What the doors hand out beside acts: arguments read, texts and tables made from answers, parts for the wiring. None of
 * them reads what is stored, but for who somebody is.
 */
export const NOT_ACTS: readonly string[] = [
  // Who acts.
  'actorOf',
  'personOf',
  'requirePerson',
  // What was refused already.
  'noteRefused',
  // Wiring: what a worker and an import are given.
  'sequenceAll',
  'openGrants',
  // Files without an installation.
  'registerLaw',
  'awardFile',
  'awardPath',
  'feedFile',
  'isAwardTable',
  'isBankTable',
  'readAwardSpending',
  'readFederalSpending',
  'readPaidGrants',
  'readSubawards',
  'ledgerOfFile',
  'ledgerOfLane',
  // Arguments.
  'readBatchId',
  'readBoundary',
  'readConfirmation',
  // Answers, shaped.
  'awardEntries',
  'bodyOf',
  'columnsOf',
  'exportDocument',
  'figureView',
  'isAsked',
  'laneOutcome',
  'oneList',
  'opensslLines',
  'reportCsv',
  'reportOf',
  'reportPdf',
  'reportTable',
  'sheetPdf',
  'sheetText',
  'totalCents',
  'traceTable',
];

const src = join(ROOT, 'src');
export const actFiles = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[a-z]+\/acts\/.*(?<!\.test)\.ts$/.test(file))
  .map((file) => join(src, file));

type Act = (...input: unknown[]) => unknown;

const isClass = (value: unknown): boolean => String(value).startsWith('class ');
/** Functions of an acts file that the command line takes. */
const commands = readdirSync(join(src, 'cli'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(src, 'cli', file), 'utf8'))
  .join('\n');
const taken = new Set(
  [...commands.matchAll(/(?:import|const) \{([^}]*)\}(?: from|\s*=\s*await import)/g)].flatMap(
    ([, names = '']) => names.split(',').map((name) => name.trim().split(/ as |: /)[0]),
  ),
);

/** By name. */
export async function exportedFunctions(): Promise<readonly (readonly [string, Act])[]> {
  const found: [string, Act][] = [];
  for (const file of actFiles) {
    const own: Readonly<Record<string, unknown>> = await import(file);
    for (const [name, value] of Object.entries(own)) {
      if (typeof value !== 'function' || isClass(value) || !taken.has(name)) continue;
      found.push([name, (...input) => Reflect.apply(value, undefined, input)]);
    }
  }
  return found;
}

/** The steps of the grants pipeline, in the same shape: an installation, which is never reached, and an actor. */
export function grantSteps(): readonly (readonly [string, Act])[] {
  const of = (app: unknown, actor: Actor): readonly object[] => {
    const parts = { exceptions: app, withdrawals: app };
    const pipeline = guarded(
      new Proxy(parts, { get: openedBy(app) }) as unknown as Pipeline,
      actor,
      () => {
        throw new Error('noted before asking');
      },
    );
    return [pipeline, pipeline.exceptions, pipeline.withdrawals];
  };
  return of({}, STRANGER).flatMap((part, place) =>
    Object.entries(part)
      .filter(([, step]) => typeof step === 'function')
      .map(([name]): [string, Act] => [
        `grants ${name} of ${['the pipeline', 'exceptions', 'withdrawals'][place]}`,
        (app, actor) =>
          Reflect.apply(
            Reflect.get(of(app, actor as Actor)[place] ?? {}, name) as Act,
            undefined,
            [],
          ),
      ]),
  );
}

function openedBy(app: unknown) {
  return (parts: object, name: string | symbol): unknown =>
    Reflect.has(parts, name) ? Reflect.get(parts, name) : Reflect.get(app as object, name);
}

/** A kind that the table does not know, as a role of tomorrow would be to a table of today. */
export const STRANGER = { kind: 'stranger', name: 'somebody' } as unknown as Actor;

/** An installation of which nothing may be touched. */
export const UNTOUCHABLE: object = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Touched(String(name));
    },
  },
);

export class Touched extends Error {
  constructor(name: string) {
    super(`touched ${name}`);
  }
}

export async function refusal(call: () => unknown): Promise<FilewrightError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof FilewrightError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
