/** Who is meant, however it is written (pure): one form for clients, groups, labels and numbers, for walls, rights and keys. */
export * from './letters.ts';
export * from './names.ts';
export * from './numbers.ts';
