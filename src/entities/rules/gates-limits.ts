/** What the portal's profile says about payloads: required fields, lengths, characters, numbers and payment. */
import {
  type JsonValue,
  patternOf,
  type PaymentRule,
  pointer,
  type Profile,
} from '../../core/index.ts';
import { escapeStep } from './characters.ts';
import type { GateChange, GateFinding, GateStep, Payload } from './gates-report.ts';

const NOT_ASCII = /[^\u0020-\u007e]/u;

export function limitGates(payload: Payload, profile: Profile): GateStep {
  const refusals: GateFinding[] = [
    ...characterFaults(payload, profile),
    ...fieldFaults(payload, profile),
    ...registryFaults(payload, profile),
  ];
  const payment = profile.limits?.payment;
  const paid = payment === undefined ? {} : paymentGate(payload, payment);
  return { ...paid, refusals: [...refusals, ...(paid.refusals ?? [])] };
}

function characterFaults(payload: Payload, profile: Profile): GateFinding[] {
  const isAscii = profile.limits?.characters === 'ascii';
  const faults: GateFinding[] = [];
  const look = (value: JsonValue, field: string): void => {
    if (typeof value === 'string') {
      const half = /\p{Surrogate}/u.exec(value);
      if (half !== null) {
        const why = `holds half of a surrogate pair as character ${half.index + 1}, which has no UTF-8 bytes`;
        faults.push({ code: 'NOT_UTF8', field, why });
        return;
      }
      const other = isAscii ? NOT_ASCII.exec(value) : null;
      if (other !== null) {
        const found = `U+${other[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
        const why = `holds ${found} as character ${other.index + 1}; ${profile.code} accepts English characters only`;
        faults.push({ code: 'CHARACTER_SET', field, why });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        look(inner, `${field}/${escapeStep(name)}`);
    }
  };
  look(payload, '');
  return faults;
}

function fieldFaults(payload: Payload, profile: Profile): GateFinding[] {
  return (profile.limits?.fields ?? []).flatMap(
    ({ at, required, charactersMax }): GateFinding[] => {
      const value = pointer(payload, at);
      if (value === undefined || value === null || value === '') {
        if (!required) return [];
        return [{ code: 'REQUIRED', field: at, why: `is empty, but ${profile.code} requires it` }];
      }
      // Code points, as a person counts them; a letter outside the basic plane is one.
      const characters = Array.from(
        typeof value === 'string' ? value : JSON.stringify(value),
      ).length;
      if (charactersMax === undefined || characters <= charactersMax) return [];
      const why = `has ${characters} characters, ${profile.code} accepts ${charactersMax}; shorten it in the source file`;
      return [{ code: 'TOO_LONG', field: at, why }];
    },
  );
}

function registryFaults(payload: Payload, { registry, code }: Profile): GateFinding[] {
  if (registry === undefined) return [];
  const number = pointer(payload, registry.numberAt);
  if (typeof number === 'string' && patternOf(registry.pattern).test(number)) return [];
  const found = typeof number === 'string' ? JSON.stringify(number.slice(0, 40)) : 'nothing';
  const why = `expected a number of ${code} (${registry.pattern}), found ${found}`;
  return [{ code: 'REGISTRY_NUMBER', field: registry.numberAt, why }];
}

/** A fee needs a rail that takes it. Where none was chosen, the first that does is, and the choice is told. */
function paymentGate(payload: Payload, rule: PaymentRule): GateStep {
  const cents = pointer(payload, rule.centsAt);
  if (typeof cents !== 'number' || cents === 0) return {};
  const takes = rule.rails.filter(({ centsMax }) => centsMax === undefined || cents <= centsMax);
  const chosen = pointer(payload, rule.railAt);
  if (takes.some(({ rail }) => rail === chosen)) return {};
  const amount = `$${(cents / 100).toFixed(2)}`;
  const names = takes.map(({ rail }) => rail).join(' or ');
  const [first] = takes;
  const isAbsent = chosen === undefined || chosen === null || chosen === '';
  if (!isAbsent || first === undefined) {
    const found = isAbsent ? 'nothing' : JSON.stringify(chosen);
    const why = `expected ${names === '' ? `a payment method for ${amount}; the profile has none` : `${names} for ${amount}`}, found ${found}`;
    return { refusals: [{ code: 'PAYMENT_RAIL', field: rule.railAt, why }] };
  }
  const change: GateChange = {
    code: 'PAYMENT_RAIL',
    field: rule.railAt,
    why: `was empty; ${first.rail} is used for ${amount}`,
    before: '',
    after: first.rail,
  };
  return {
    gated: { payload: withText(payload, rule.railAt, first.rail) },
    changes: [change],
  };
}

/** The payload with one more text; members on the way are made where they are missing. */
function withText(payload: Payload, at: string, text: string): Payload {
  const [name = '', ...rest] = at.split('/').slice(1);
  const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
  if (rest.length === 0) return { ...payload, [key]: text };
  const inner = Object.hasOwn(payload, key) ? payload[key] : undefined;
  const object = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  // Neither null nor a list, so an object of the JSON reader.
  return { ...payload, [key]: withText(object as Payload, `/${rest.join('/')}`, text) };
}
