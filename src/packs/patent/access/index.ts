/** Who may see which docket (pure): labels, rights, people with absences, and the one filter for all answers. */
export * from './labels.ts';
export * from './people.ts';
export * from './read-people.ts';
export * from './rights.ts';
export * from './visible.ts';
