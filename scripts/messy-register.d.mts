/** By column of the sheet, what is wrong in which row, counted from 0. */
export const WRONG: Readonly<Record<string, Readonly<Record<number, string>>>>;
export function messyRegister(): Buffer;
