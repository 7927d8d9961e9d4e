/** Environment variables as a value: no room reads `process.env` by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;
