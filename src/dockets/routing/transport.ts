/** The wires of an installation: its mail server, its broker, and the credentials of its targets. */
import type { PublishOutcome } from '../brokers/rabbit-publisher.ts';
import { readAuthorities } from '../brokers/certificates.ts';
import { readRabbitUrl } from '../brokers/rabbit-url.ts';
import { type Clock, FilewrightError } from '../../core/index.ts';
import { findMail, mailHost } from '../../people/index.ts';
import type { Session } from '../../postgres/index.ts';
import { allowedPrivate, type Environment, readReference } from '../../wire/index.ts';
import type { HandoverOptions } from './handover-options.ts';

interface Transport {
  readonly transport: HandoverOptions['transport'];
  /** What a reference in a matrix leads to, for the host that it is sent to. */
  readonly secretOf: (reference: string, host: string) => Promise<string>;
  close(): Promise<void>;
}

/** Where queues of targets lie; an address of the form amqp:// or amqps://. */
const RABBIT_URL = 'FILEWRIGHT_RABBITMQ_URL';
/** A PEM file of who may certify the broker. */
const BROKER_CA = 'FILEWRIGHT_BROKER_CA';
/** Set to 1 where targets lie in a private network, which FILEWRIGHT_ALLOW_PRIVATE names. */
const PRIVATE = 'FILEWRIGHT_ROUTING_PRIVATE';

/** What is not set is not there: a target that needs it fails, and the next tier is asked. */
export async function openTransport(deps: {
  readonly session: Session;
  readonly tenant: string;
  readonly instance: string;
  readonly clock: Clock;
  readonly environment: Environment;
}): Promise<Transport> {
  const { session, tenant, instance, clock, environment } = deps;
  const mail = await findMail(session, tenant);
  const url = environment[RABBIT_URL];
  const ofTargets = allowedPrivate(environment[PRIVATE] === '1', environment);
  const ca = environment[BROKER_CA];
  const trust =
    ca === undefined || ca === '' ? {} : { certificateAuthorities: await readAuthorities(ca) };
  const publisher =
    url === undefined || url === ''
      ? undefined
      : (await import('../brokers/rabbit-publisher.ts')).rabbitPublisher({
          url: readRabbitUrl(url).href,
          clock,
          ...trust,
        });
  return {
    transport: {
      allowPrivateAddresses: () => ofTargets,
      credentials: (target) => Promise.resolve(credentialsOf(target, environment)),
      ...(mail === undefined
        ? {}
        : {
            mail: {
              server: async () => ({
                url: await readReference(mail.smtp, environment, mailHost),
                allowPrivateAddresses: allowedPrivate(mail.allowPrivateAddresses, environment),
              }),
              from: mail.sender,
              host: instance,
            },
          }),
      ...(publisher === undefined
        ? {}
        : {
            publish: (message, guard): Promise<PublishOutcome> => publisher.publish(message, guard),
          }),
    },
    secretOf: (reference, host) => readReference(reference, environment, host),
    close: async () => publisher?.close(),
  };
}

/** `FILEWRIGHT_TARGET_<ID>_TOKEN`, with the id in capitals and underscores, is the target's bearer token. */
function credentialsOf(
  { id }: { readonly id: string },
  environment: Environment,
): Readonly<Record<string, string>> {
  const name = `FILEWRIGHT_TARGET_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_TOKEN`;
  const token = environment[name];
  if (token === undefined || token === '') return {};
  if (!/^[\x21-\x7e]{1,4000}$/.test(token)) {
    throw new FilewrightError(
      'CREDENTIAL_UNREADABLE',
      `Expected ${name} to hold a token on one line`,
    );
  }
  return { authorization: `Bearer ${token}` };
}
