/** Why a server cannot listen where it was told to, in the words of whoever told it. */
import { FilewrightError } from './errors.ts';
import { misuse } from './refusals.ts';

/** Whatever is no fault of the address comes back as it is. */
export function cannotListen(host: string, port: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new FilewrightError(
        'PORT_IN_USE',
        `Expected port ${port} of ${host} to be free, found another program on it`,
        { cause: error, details: { port, host } },
      );
    case 'EACCES':
      return misuse(`--port: this user may not listen on port ${port}; choose one above 1023`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return misuse(`--host: ${host} is not an address of this machine`, {
        cause: error,
      });
    default:
      return error;
  }
}
