/** The roles; what each may do is in roles.ts. */

/** As in `person_role` of sql/0001_foundation.sql. */
export const ROLES = [
  /** States, dates, counts, forecasts; no payloads. */
  'viewer',
  /** Registers, imports, corrects, proposes, files by hand. */
  'preparer',
  /** Approves what another person proposed, and reads what is approved. */
  'approver',
  /** Lanes, workers, recovery, alerts. */
  'operator',
  /** Docket events, absences, dates, within the rights of the people file. */
  'docketer',
  'grants.ingestion',
  'grants.reconciliation',
  'grants.rules',
  'grants.reporting',
  'grants.fallback',
  /** Reads everything, verifies, exports; changes nothing. */
  'auditor',
  /** People, roles, keys, settings; by this role alone nobody approves or reads a payload. */
  'admin',
] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}
