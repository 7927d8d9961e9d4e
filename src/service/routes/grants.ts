import { Type } from 'typebox';
import { AWARD_STATES, awardObligations, LINE_STATES, openGrants } from '../../grants/index.ts';
import { DAY, FLAG, given, ID, kit, limitOf, NAME, PAGING } from './kit.ts';
import { cursorOf, keyOf, type Page, partOf, type Paging } from '../paging.ts';

const { get, list } = kit('grants');

export const grants = [
  get('/grants/status', {
    act: 'grants.status',
    summary: 'How many awards, lines, exceptions and periods there are',
    run: ({ app, actor }) => openGrants(app, actor).status(),
  }),
  list('/grants/awards', {
    act: 'grants.awards',
    summary: 'Awards and what is still expected of them; the ledger notes who looked',
    query: {
      ...PAGING,
      as_of: DAY,
      state: Type.Optional(Type.Union(AWARD_STATES.map((state) => Type.Literal(state)))),
    },
    run: async ({ app, actor, query }) => {
      const { as_of: asOf, state } = query;
      const wanted = { asOf, ...given({ state }), ...partWanted(query) };
      return partFound(await openGrants(app, actor).awards(wanted));
    },
  }),
  list('/grants/lines', {
    act: 'grants.lines',
    summary: 'Bank lines; the ledger notes who looked',
    query: {
      ...PAGING,
      account: Type.Optional(NAME),
      from: Type.Optional(DAY),
      to: Type.Optional(DAY),
      state: Type.Optional(Type.Union(LINE_STATES.map((state) => Type.Literal(state)))),
    },
    run: async ({ app, actor, query }) => {
      const { account, from, to, state } = query;
      const wanted = { ...given({ account, from, to, state }), ...partWanted(query) };
      return partFound(await openGrants(app, actor).lines(wanted));
    },
  }),
  list('/grants/unmatched', {
    act: 'grants.unmatched',
    summary: 'Lines and payments without a match, with their age; the ledger notes who looked',
    query: { as_of: DAY },
    run: async ({ app, actor, query }) => ({
      items: await openGrants(app, actor).unmatched(query.as_of),
    }),
  }),
  list('/grants/statements', {
    act: 'grants.statements',
    summary: 'Bank statements of an account, or of all',
    query: { account: Type.Optional(NAME) },
    run: async ({ app, actor, query }) => ({
      items: await openGrants(app, actor).statements(query.account),
    }),
  }),
  list('/grants/periods', {
    act: 'grants.periods',
    summary: 'Periods that are closed',
    run: async ({ app, actor }) => ({ items: await openGrants(app, actor).periods() }),
  }),
  list('/grants/obligations', {
    act: 'grants.obligations',
    summary: 'Duties of awards with their dates',
    query: PAGING,
    run: async ({ app, actor }) => ({ items: await awardObligations(app, actor) }),
  }),
  list('/grants/exceptions', {
    act: 'grants.exception.list',
    summary: 'Records that need a person',
    query: { ...PAGING, all: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) => {
      const filter = query.all === true ? {} : { isOpen: true };
      return partOf(await openGrants(app, actor).exceptions.list(filter), query, ({ id }) => id);
    },
  }),
  get('/grants/exceptions/{id}', {
    act: 'grants.exception.show',
    summary: 'One of them, opened; the ledger notes who looked',
    params: ID,
    run: ({ app, actor, params }) => openGrants(app, actor).exceptions.show(params.id),
  }),
  list('/grants/withdrawals', {
    act: 'grants.withdrawal.list',
    summary: 'Bank statements whose withdrawal is proposed or done',
    run: async ({ app, actor }) => ({ items: await openGrants(app, actor).withdrawals.list() }),
  }),
];

function partWanted(query: Paging): { readonly limit: number; readonly after?: string } {
  const after = keyOf(query);
  return { limit: limitOf(query), ...(after === undefined ? {} : { after }) };
}

function partFound(page: {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}): Page {
  const { items, next } = page;
  return next === undefined ? { items } : { items, next: cursorOf(next) };
}
