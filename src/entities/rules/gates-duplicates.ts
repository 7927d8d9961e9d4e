/** Portals that refuse a second submission for the same entity and kind inside a window. */
import { addMs, type Instant, type JsonValue, type Profile } from '../../core/index.ts';
import type { Gated, GateStep } from './gates-report.ts';

// About 20 MB at most; whoever files more for one portal in one file meets the same check again before each send.
const KEPT_MAX = 100_000;

interface DuplicateGate {
  gate(gated: Gated, profile: Profile): GateStep;
}

/** Remembers the rows of one import. The second row of an entity waits until the first cannot be sent any more. */
export function duplicateGate(): DuplicateGate {
  const last = new Map<string, { readonly period: string; readonly cutoff: Instant }>();
  return {
    gate: (gated, profile) => {
      const windowMs = profile.limits?.duplicateWindowMs ?? 0;
      if (windowMs === 0) return {};
      const { jurisdiction, registry_number: number, filing_kind: kind, period } = gated.payload;
      const name = JSON.stringify([jurisdiction, number, kind]);
      const first = last.get(name);
      if (first === undefined || first.period === textOf(period)) {
        if (last.size >= KEPT_MAX) last.clear();
        last.set(name, { period: textOf(period), cutoff: gated.cutoff });
        return {};
      }
      const from = addMs(first.cutoff, windowMs);
      if (from <= gated.notBefore) return {};
      const hours = Math.round(windowMs / 3_600_000);
      const rule = `${profile.code} refuses a second filing of this kind for the entity inside ${hours} hours, and ${first.period} is in this file too`;
      if (from >= gated.cutoff) {
        const why = `${rule}; file them separately, or give this one a not_before`;
        return { refusals: [{ code: 'DUPLICATE_WINDOW', field: '/registry_number', why }] };
      }
      const change = {
        code: 'DUPLICATE_WINDOW' as const,
        field: '/not_before',
        why: rule,
        before: gated.notBefore <= 0 ? '' : new Date(gated.notBefore).toISOString(),
        after: new Date(from).toISOString(),
      };
      return { gated: { notBefore: from }, changes: [change] };
    },
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
