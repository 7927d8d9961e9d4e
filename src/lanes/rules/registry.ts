/** What a portal's live registry says about an entity's number. Weaker evidence than a receipt; it gates, never settles. */
import { strangerIn } from './echoes.ts';
import { decodeJson, type Exchange, type Profile, textAt } from '../../core/index.ts';

export type RegistryAnswer =
  | { readonly kind: 'active' }
  | { readonly kind: 'inactive'; readonly state: string }
  | { readonly kind: 'not_found' }
  /** No usable answer: neither a reason to refuse the filing nor one to send it. */
  | { readonly kind: 'unclear'; readonly code: string };

export function classifyRegistry(
  exchange: Exchange,
  profile: Profile,
  number: string,
): RegistryAnswer {
  const rule = profile.registry;
  if (rule === undefined) return { kind: 'unclear', code: 'NO_REGISTRY_RULE' };
  if (exchange.kind === 'failure') return { kind: 'unclear', code: exchange.code.toUpperCase() };
  const code = `HTTP_${exchange.status}`;
  if (exchange.bodyEnd !== 'whole') return { kind: 'unclear', code: 'BODY_TRUNCATED' };
  // As with the status endpoint: a bare 404 may come from a gateway, only the registry's own word counts.
  if (exchange.status !== 200 && exchange.status !== 404) return { kind: 'unclear', code };
  const body = profile.driver === 'html-form' ? undefined : decodeJson(exchange.body);
  const textOf = (place: string): string | undefined =>
    profile.driver === 'html-form' ? exchange.page?.texts[place] : textAt(body, place);
  const state = textOf(rule.stateAt);
  if (state === undefined) return { kind: 'unclear', code: `${code}_STATE_MISSING` };
  const echoes = rule.entityAt === undefined ? [] : [{ at: rule.entityAt, of: 'number' }];
  // Who is not found is often not named again.
  const all = !rule.notFound.includes(state);
  const stranger = strangerIn(echoes, textOf, () => number, { all });
  if (stranger !== undefined) return { kind: 'unclear', code: 'OTHER_ENTITY' };
  if (rule.notFound.includes(state)) return { kind: 'not_found' };
  if (exchange.status !== 200) return { kind: 'unclear', code };
  if (rule.active.includes(state)) return { kind: 'active' };
  if (rule.inactive.includes(state)) return { kind: 'inactive', state };
  return { kind: 'unclear', code: 'STATE_UNKNOWN' };
}
