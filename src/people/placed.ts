/** A reference is judged by where this installation's files are, which an option of the command may have named. */
import type { Installation } from '../ledger/index.ts';
import type { Environment } from '../wire/index.ts';

export function placed({ dataDirectory }: Installation, environment: Environment): Environment {
  return { ...environment, FILEWRIGHT_DATA: dataDirectory };
}
