/** An error as the driver throws it: the SQLSTATE, or the system's error name, in `code`. */
export class PgError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const FOREIGN_KEY_VIOLATION = '23503';
export const UNIQUE_VIOLATION = '23505';
export const CHECK_VIOLATION = '23514';
export const RESTRICT_VIOLATION = '23001';
export const DEADLOCK = '40P01';
export const STATEMENT_TIMEOUT = '57014';
export const SHUTDOWN = '57P01';
export const ABORTED = '25P02';
