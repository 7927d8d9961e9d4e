/** What gates say of a payload, in the words of the row it came from. */
import type { RowError, RowNote } from '../../core/index.ts';
import type { GateChange, GateFinding } from './gates-report.ts';

export function errorOf({ code, field, why }: GateFinding): RowError & { readonly code: string } {
  return { where: columnOf(field), why, code };
}

export function noteOf(finding: GateFinding | GateChange): RowNote {
  const change = 'before' in finding ? { before: finding.before, after: finding.after } : undefined;
  return { ...errorOf(finding), change };
}

/** `/fields/agent` is the column agent; what lies deeper keeps its pointer. */
function columnOf(field: string): string {
  const [, first = '', ...rest] = field.split('/');
  if (first === 'fee_cents') return 'fee';
  if (first !== 'fields') return first === '' ? 'row' : first;
  const [column, ...deeper] = rest;
  if (column === undefined) return 'row';
  if (deeper.length > 0) return `/${rest.join('/')}`;
  return column.replaceAll('~1', '/').replaceAll('~0', '~');
}
