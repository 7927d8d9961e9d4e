/** Whom a broker's certificate must come from, and what is said when it does not. */
import { readFile } from 'node:fs/promises';
import { FilewrightError } from '../../core/index.ts';

/** As Node names what is wrong with a certificate; everything else about a connection may pass by itself. */
const REFUSED = /^(CERT_|ERR_TLS_CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;

/** Undefined where the trouble is another one. */
export function certificateTrouble(error: unknown): FilewrightError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!REFUSED.test(code)) return undefined;
  return new FilewrightError(
    'BROKER_CERTIFICATE',
    `Expected the broker to show a certificate of a trusted authority for its name, found ${code}`,
    { cause: error },
  );
}

/** PEM texts of a file, which replace the well-known authorities. */
export async function readAuthorities(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.includes('-----BEGIN CERTIFICATE-----')) return [text];
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected ${path} to hold certificates of authorities as PEM, found none`,
  );
}
