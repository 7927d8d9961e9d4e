/** By column of the sheet, what is wrong in which row, counted from 0. */
export const WRONG: Readonly<Record<string, Readonly<Record<number, string>>>>;
/** `count`: 500, as the sample has. */
export function messyRegister(count?: number): Buffer;
