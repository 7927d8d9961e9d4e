/** Nothing of what people and programs ask or do goes round the table of rights. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ActName, RIGHTS } from '../src/access/rights.ts';
import { type Actor, localOperator, type PersonActor } from '../src/access/actor.ts';
import { may } from '../src/access/may.ts';
import { ROLES } from '../src/access/role.ts';
import { guarded } from '../src/grants/acts/open.ts';
import { ERRORS, FilewrightError } from '../src/core/errors.ts';
import { personId } from '../src/core/ids.ts';
import type { Pipeline } from '../src/grants/pipeline/contracts.ts';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');
const actFiles = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /^[a-z]+\/acts\/.*(?<!\.test)\.ts$/.test(file),
);

/**
 * What the doors hand out beside acts: arguments read, texts and tables made from answers, parts for the wiring. None of
 * them reads what is stored, but for who somebody is.
 */
const NOT_ACTS: readonly string[] = [
  // Who acts.
  'actorOf',
  'personOf',
  'requirePerson',
  // Wiring: what a worker and an import are given.
  'sequenceAll',
  'openGrants',
  // Files without an installation.
  'registerLaw',
  'awardFile',
  'awardPath',
  'feedFile',
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

/** A kind that the table does not know, as a role of tomorrow would be to a table of today. */
const STRANGER = { kind: 'stranger', name: 'somebody' } as unknown as Actor;
const PERSON: PersonActor = {
  kind: 'person',
  id: personId('01900000-0000-7000-8000-000000000001'),
  name: 'Paula',
  party: personId('01900000-0000-7000-8000-000000000001'),
  roles: ROLES,
};

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
const exported: [string, (...input: unknown[]) => unknown][] = [];
for (const file of actFiles) {
  const own: Readonly<Record<string, unknown>> = await import(join(src, file));
  for (const [name, value] of Object.entries(own)) {
    if (typeof value !== 'function' || isClass(value) || !taken.has(name)) continue;
    exported.push([name, (...input) => Reflect.apply(value, undefined, input)]);
  }
}
const exportedActs = exported.filter(([name]) => !NOT_ACTS.includes(name));

/** An installation of which nothing may be touched. */
const untouchable: object = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`touched ${String(name)} before asking`);
    },
  },
);

async function refusal(call: () => unknown): Promise<FilewrightError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof FilewrightError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('the table of rights', () => {
  it.each(exportedActs)('is asked by %s before anything is touched', async (_name, act) => {
    const error = await refusal(() => act(untouchable, STRANGER, {}, {}, {}));
    expect(error.code).toBe('NOT_PERMITTED');
    expect(Object.keys(RIGHTS)).toContain(error.details['act']);
  });

  it('is asked by every step of the grants pipeline', async () => {
    const parts = { exceptions: untouchable, withdrawals: untouchable };
    const pipeline = guarded(parts as unknown as Pipeline, STRANGER);
    const methods = [pipeline, pipeline.exceptions, pipeline.withdrawals].flatMap((part) =>
      Object.values(part as object).filter((one) => typeof one === 'function'),
    );
    expect(methods.length).toBeGreaterThan(25);
    for (const method of methods) {
      const error = await refusal(() => (method as () => Promise<unknown>)());
      expect(error.code).toBe('NOT_PERMITTED');
    }
  });

  it('names only acts that someone can still do', () => {
    const text = actFiles.map((file) => readFileSync(join(src, file), 'utf8')).join('\n');
    const unused = Object.keys(RIGHTS).filter((act) => !text.includes(`'${act}'`));
    expect(unused).toEqual([]);
  });

  it('and the list of what is no act names nothing that is gone', () => {
    const names = new Set(exported.map(([name]) => name));
    expect(NOT_ACTS.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('who may', () => {
  const OPERATOR = localOperator('root');
  const PROGRAM: Actor = { kind: 'program', id: 'crm', name: 'CRM' };

  it.each<[ActName, boolean, boolean, boolean]>([
    // act, person, operator, program
    ['filing.list', true, true, true],
    ['filing.open', true, false, false],
    ['batch.approve', true, false, false],
    ['batch.run', true, true, false],
    ['docket.list', true, false, false],
    ['user.add', true, false, false],
    ['user.found', true, true, false],
  ])('%s: person %s, operator %s, program %s', (act, person, operator, program) => {
    const allowed = [PERSON, OPERATOR, PROGRAM].map((actor) => may(actor, act).allowed);
    expect(allowed).toEqual([person, operator, program]);
  });

  it('a refusal names the act, what it is about and whom it is for, and its code a remedy', () => {
    expect(may(OPERATOR, 'filing.open', 'f-1')).toEqual({
      allowed: false,
      code: 'NO_CREDENTIAL',
      reason: 'filing.open (f-1): expected a personal key; none was given',
    });
    const refused = may(PROGRAM, 'batch.approve');
    expect(refused).toMatchObject({ allowed: false, code: 'NOT_PERMITTED' });
    expect(JSON.stringify(refused)).toContain('not allowed for CRM');
    expect(ERRORS.NOT_PERMITTED.remedy).not.toBe('');
  });

  it('the operator has the name of the person at the machine', () => {
    expect(OPERATOR.name).toBe('local operator: root');
  });
});
