/** Where the brokers are: in the environment, since an address holds a password. */
import { readAuthorities } from '../brokers/certificates.ts';
import { FilewrightError } from '../../core/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const RABBITMQ_URL = 'FILEWRIGHT_RABBITMQ_URL';
export const REDIS_URL = 'FILEWRIGHT_REDIS_URL';

/** A PEM file: who may certify brokers behind amqps:// and rediss://, in place of the well-known authorities. */
const BROKER_CA = 'FILEWRIGHT_BROKER_CA';

const EXAMPLES: Readonly<Record<string, string>> = {
  [RABBITMQ_URL]: 'amqp://user:password@host:5672',
  [REDIS_URL]: 'redis://user:password@host:6379',
};

export function addressIn(environment: Environment, name: string): string {
  const url = environment[name];
  if (url !== undefined && url !== '') return url;
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected the variable ${name} to hold an address like ${EXAMPLES[name]}, found nothing`,
  );
}

/** What goes with the address of either broker. */
export async function trustIn(
  environment: Environment,
): Promise<{ readonly certificateAuthorities?: readonly string[] }> {
  const path = environment[BROKER_CA];
  return path === undefined || path === ''
    ? {}
    : { certificateAuthorities: await readAuthorities(path) };
}
