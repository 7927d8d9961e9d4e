/**
 * What programs read: whatever an act answers, a time has one form in it and an id one name. What is quoted (payloads, answers of
 * portals, facts of the ledger) stays as it is.
 */

/** Times here go from 2000 to 2100; nothing else that is counted under these names is as large. */
const TIME_MS_MIN = 946_684_800_000;
const TIME_MS_MAX = 4_102_444_800_000;

const TIME_KEY =
  /^(?:at|now|cutoff|due|since|until|from|to|start|end|lastSafe|notBefore|startBy|openBy|approveBy|reviewBy|seen|changed|created)$|(?:At|Until|Since|Safe|Before|After|By)$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Quoted as they came, or as the ledger has them. */
const QUOTED: ReadonlySet<string> = new Set([
  'payload',
  'data',
  'fact',
  'facts',
  'sealed',
  'evidence',
  'answer',
  'request',
  'response',
  'envelope',
  'steps',
  'terms',
  'profile',
]);

/** Of what it is the id, in one word: as the commands call it. */
const ID_NAMES: Readonly<Record<string, string>> = {
  entityId: 'entity',
  filingId: 'filing',
  batchId: 'batch',
  docketId: 'docket',
  proposalId: 'proposal',
  obligationId: 'obligation',
  eventId: 'event',
  ruleId: 'rule',
};

/** The same data as JSON has it: times in RFC 3339 and UTC, null for a time that is not. */
export function forMachines(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return isTime(key, value) ? new Date(value).toISOString() : value;
  if (typeof value === 'string') return ofString(value, key);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  if (Array.isArray(value)) return value.map((one) => forMachines(one, key));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const other = ID_NAMES[name];
      const shown = other === undefined || other in value ? name : other;
      return [shown, QUOTED.has(name) ? one : forMachines(one, name)];
    }),
  );
}

function isTime(key: string, value: number): boolean {
  return (
    TIME_KEY.test(key) && Number.isInteger(value) && value >= TIME_MS_MIN && value < TIME_MS_MAX
  );
}

function ofString(value: string, key: string): string | null {
  if (!TIME_KEY.test(key)) return value;
  if (value === '') return null;
  return RFC_3339.test(value) ? new Date(value).toISOString() : value;
}
