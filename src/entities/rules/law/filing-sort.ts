/** What an entity files again and again, once at its beginning, or has published once. */
export const FILING_SORTS = ['periodic', 'initial', 'publication'] as const;
export type FilingSort = (typeof FILING_SORTS)[number];
