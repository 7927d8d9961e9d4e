/** What routing needs from the wiring; loaded with its law, which most commands never need. */
import type { PersonActor } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { type PatentLaw, readPatentRules } from '../../packs/patent/index.ts';
import type { Actor, RoutingParts } from '../../routing/index.ts';
import { shippedLaw } from '../../system/law/index.ts';

const PATENT_RULES = 'rules/patent.json';

export function routingParts(app: Filewright, law = shippedPatentLaw()): RoutingParts {
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
