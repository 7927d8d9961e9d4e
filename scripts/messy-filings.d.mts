/** Which rows of which columns are wrong, and what stands there. */
export const WRONG: Readonly<Record<string, Readonly<Record<number, string>>>>;
export const ROWS: number;
export function messyFilings(): Buffer;
