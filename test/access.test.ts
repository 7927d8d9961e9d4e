/** Nothing of what people and programs ask or do goes round the table of rights. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ActName, RIGHTS } from '../src/access/rights.ts';
import { type Actor, localOperator, type PersonActor } from '../src/access/actor.ts';
import { may } from '../src/access/may.ts';
import { ROLES } from '../src/access/role.ts';
import { ERRORS } from '../src/core/errors.ts';
import { personId } from '../src/core/ids.ts';
import {
  actFiles,
  exportedFunctions,
  grantSteps,
  NOT_ACTS,
  refusal,
  STRANGER,
  UNTOUCHABLE,
} from './access/doors.ts';

const exported = await exportedFunctions();
const exportedActs = exported.filter(([name]) => !NOT_ACTS.includes(name));
const PERSON: PersonActor = {
  kind: 'person',
  id: personId('01900000-0000-7000-8000-000000000001'),
  name: 'Paula',
  party: personId('01900000-0000-7000-8000-000000000001'),
  roles: ROLES,
};

describe('the table of rights', () => {
  it.each(exportedActs)('is asked by %s before anything is touched', async (_name, act) => {
    const error = await refusal(() => act(UNTOUCHABLE, STRANGER, {}, {}, {}));
    expect(error.code).toBe('NOT_PERMITTED');
    expect(Object.keys(RIGHTS)).toContain(error.details['act']);
  });

  it('is asked by every step of the grants pipeline', async () => {
    const steps = grantSteps();
    expect(steps.length).toBeGreaterThan(25);
    for (const [, step] of steps) {
      expect((await refusal(() => step(UNTOUCHABLE, STRANGER))).code).toBe('NOT_PERMITTED');
    }
  });

  it('names only acts that someone can still do', () => {
    const text = actFiles.map((file) => readFileSync(file, 'utf8')).join('\n');
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
