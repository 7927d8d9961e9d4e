/**
 * The gates between a row or a correction and the frozen payload. Each is pure; all of them speak before anything is
 * refused, so that a person corrects everything at once. Gating what was gated changes nothing.
 */
import { instant, type Profile } from '../../core/index.ts';
import { duplicateGate } from './gates-duplicates.ts';
import { hoursGate } from './gates-hours.ts';
import { limitGates } from './gates-limits.ts';
import type {
  GateChange,
  Gated,
  GateFinding,
  GateStep,
  LawGates,
  Payload,
} from './gates-report.ts';
import { schemaFaults } from './gates-schema.ts';
import { cleanTexts } from './gates-texts.ts';

export interface GateResult {
  readonly gated: Gated;
  readonly changes: readonly GateChange[];
  readonly notices: readonly GateFinding[];
  readonly refusals: readonly GateFinding[];
}

export interface EntityGates {
  run(gated: Gated, profile: Profile): GateResult;
  /** Only what needs no dates: for a row whose dates cannot be read. */
  runOnPayload(payload: Payload, profile: Profile): GateResult;
}

type Step = (gated: Gated, profile: Profile) => GateStep;

/** For one import or one correction. Without `law` the obligation and the tax are not looked at. */
export function entityGates(options: { readonly law?: LawGates } = {}): EntityGates {
  const { law } = options;
  const hours = hoursGate();
  const duplicates = duplicateGate();
  const ofPayload: readonly Step[] = [
    ({ payload }, profile) => textStep(payload, profile),
    ({ payload }) => ({ refusals: schemaFaults(payload) }),
    ({ payload }, profile) => limitGates(payload, profile),
  ];
  const ofDates: readonly Step[] = [
    (gated, profile) => law?.obligation(gated, profile.hours?.zone ?? 'UTC') ?? {},
    ({ payload }) => law?.tax(payload) ?? {},
    (gated, profile) => hours.gate(gated, profile),
    (gated, profile) => duplicates.gate(gated, profile),
  ];
  return {
    run: (gated, profile) => pass([...ofPayload, ...ofDates], gated, profile),
    runOnPayload: (payload, profile) => {
      const never = instant(0);
      return pass(ofPayload, { payload, notBefore: never, due: never, cutoff: never }, profile);
    },
  };
}

function pass(steps: readonly Step[], start: Gated, profile: Profile): GateResult {
  let gated = start;
  const changes: GateChange[] = [];
  const notices: GateFinding[] = [];
  const refusals: GateFinding[] = [];
  for (const step of steps) {
    const said = step(gated, profile);
    gated = { ...gated, ...said.gated };
    changes.push(...(said.changes ?? []));
    notices.push(...(said.notices ?? []));
    refusals.push(...(said.refusals ?? []));
  }
  return { gated, changes, notices, refusals };
}

function textStep(payload: Gated['payload'], profile: Profile): GateStep {
  const { value, changes, refusals } = cleanTexts(payload, {
    start: profile.limits?.whitespace === 'trimmed',
  });
  return { gated: { payload: value }, changes, refusals };
}
