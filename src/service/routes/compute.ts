import { Type } from 'typebox';
import {
  computeDeadline,
  deadlineAnswer,
  readPatentCase,
  shippedPatentLaw,
} from '../../dockets/index.ts';
import {
  answerObligation,
  answerTax,
  readDelawareRates,
  registerLaw,
} from '../../entities/index.ts';
import { shippedLaw } from '../../system/index.ts';
import { kit } from './kit.ts';

const { post } = kit('compute');

/** A page of JSON; what it must hold is said by the rule, field by field, in its own errors. */
const CASE = Type.Record(Type.String(), Type.Unknown());

/** Read nothing that is stored and keep nothing: for whoever is signed in. */
export const compute = [
  post('/deadlines/compute', {
    summary: 'The deadline of a patent case, step by step',
    body: CASE,
    run: async ({ body }) => {
      const law = shippedPatentLaw();
      const found = computeDeadline(readPatentCase(body), law, { explain: true });
      return deadlineAnswer(found, law.rules.version);
    },
  }),
  post('/obligations/compute', {
    summary: 'The next obligation of an entity, step by step',
    body: CASE,
    run: async ({ body }) => answerObligation(body, registerLaw()),
  }),
  post('/tax/delaware', {
    summary: 'Delaware franchise tax by both methods',
    body: CASE,
    run: async ({ body }) =>
      answerTax(
        body,
        shippedLaw().compiled('rules/delaware-franchise-tax.json', readDelawareRates),
      ),
  }),
];
