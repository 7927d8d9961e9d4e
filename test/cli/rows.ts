/** Rows of an import, due in two years unless told. */
export const COLUMNS = 'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id';
const YEAR = new Date().getUTCFullYear() + 2;

export function csv(...rows: string[]): string {
  return `${[COLUMNS, ...rows].join('\n')}\n`;
}

export function row(
  number: string,
  changes: { jurisdiction?: string; name?: string; due?: string } = {},
): string {
  const { jurisdiction = 'US-DE', name = `Entity ${number}`, due = `${YEAR}-03-01` } = changes;
  return `${jurisdiction},${number},${name},annual_report,${YEAR},${due},E-${number}`;
}
