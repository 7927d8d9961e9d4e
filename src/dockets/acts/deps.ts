/** What routing needs from the wiring; loaded with its law, which most commands never need. */
import type { PersonActor } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { PatentLaw } from '../rules/matter.ts';
import { readPatentRules } from '../rules/rules-file.ts';
import type { Actor, RoutingDeps } from '../routing/deps.ts';
import { shippedLaw } from '../../system/index.ts';

const PATENT_RULES = 'rules/patent.json';

export function routingDeps(app: Installation, law = shippedPatentLaw()): RoutingDeps {
  const { session, tenant, clock, ids, random, vault, log } = app;
  return { session, tenant, clock, ids, random, vault, log, law: () => law };
}

export function shippedPatentLaw(): PatentLaw {
  const law = shippedLaw();
  return {
    calendars: law.calendars,
    rules: law.compiled(PATENT_RULES, readPatentRules),
    relief: [],
  };
}

export function actorOf(person: PersonActor): Actor {
  return { kind: 'user', id: person.id };
}
