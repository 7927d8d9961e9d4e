import { localOperator } from '../src/access/actor.ts';

/** Whoever sits at the machine, for acts that need no person. */
export const OPERATOR = localOperator('test');
