/** Connections to RabbitMQ whose message bodies are bytes. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type Channel, Connection } from 'rabbitmq-client';
import { type FilewrightError, invariant, ruledOut } from '../../core/index.ts';
import { certificateTrouble } from './certificates.ts';
import { readRabbitUrl } from './rabbit-url.ts';

const AMQP_PORT = 5672;
const AMQPS_PORT = 5671;
const CONNECT_MS = 3_000;
/** A dead peer is noticed within two of these. */
const HEARTBEAT_S = 10;
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

/** Where the content type is put while the library must not see it. */
const CONTENT_TYPE = 'x-filewright-content-type';

export interface RabbitAddress {
  /** `amqp://user:password@host:port/vhost` or `amqps://…`. In no message and no log. */
  readonly url: string;
  /** Refuses an address that a name leads to; absent for the operator's own broker. */
  readonly isRefusedAddress?: (address: string) => boolean;
  readonly lookup?: LookupFunction;
  /** PEM texts that replace the well-known authorities, for `amqps`. */
  readonly certificateAuthorities?: readonly string[];
}

export function openRabbit(address: RabbitAddress): Connection {
  const { hostname, port: portText, protocol } = readRabbitUrl(address.url);
  const { isRefusedAddress, lookup, certificateAuthorities: ca } = address;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const port =
    portText === '' ? (protocol === 'amqps:' ? AMQPS_PORT : AMQP_PORT) : Number(portText);
  // A literal address is never looked up, so it is judged here.
  if (isRefusedAddress !== undefined && isIP(host) !== 0 && isRefusedAddress(host)) {
    throw addressRefused(host);
  }
  return new ByteExactConnection({
    url: address.url,
    connectionTimeout: CONNECT_MS,
    acquireTimeout: CONNECT_MS,
    heartbeat: HEARTBEAT_S,
    retryLow: RETRY_MS_MIN,
    retryHigh: RETRY_MS_MAX,
    noDelay: true,
    ...(protocol === 'amqps:' && ca !== undefined ? { tls: { ca: [...ca] } } : {}),
    ...(isRefusedAddress === undefined
      ? {}
      : { socket: { host, port, lookup: judged(lookup ?? systemLookup, isRefusedAddress) } }),
  });
}

/**
 * rabbitmq-client 5 parses a body by its content type: `application/json` arrives as an object, `text/plain` as a text.
 * The bytes that were sent cannot be had back from either (duplicate keys, large numbers, bytes that are no UTF-8), and
 * they are the evidence. The library has no switch for it, so the content type is put aside before it looks. The
 * version is pinned, and a test sends bytes that would not survive.
 */
class ByteExactConnection extends Connection {
  override async acquire(options?: { emitErrorsFromChannel?: boolean }): Promise<Channel> {
    const channel = await this.#acquireOrRefuse(options);
    // Not part of the library's types: what it calls with the properties of a message, before its body.
    const inner = channel as unknown as { _onHeader?: (frame: HeaderFrame) => void };
    const original = inner._onHeader;
    invariant(typeof original === 'function', 'Expected rabbitmq-client 5.0.8.');
    inner._onHeader = (frame) => {
      const { contentType, headers, ...rest } = frame.fields;
      const aside = contentType === undefined ? {} : { [CONTENT_TYPE]: contentType };
      const kept = { ...headers, ...aside };
      if (contentType === undefined) delete kept[CONTENT_TYPE];
      original.call(channel, { ...frame, fields: { ...rest, headers: kept } });
    };
    return channel;
  }

  /** The library goes on trying until its time is over and then speaks of the time; a certificate is wrong at once. */
  async #acquireOrRefuse(options?: { emitErrorsFromChannel?: boolean }): Promise<Channel> {
    let onError: ((error: unknown) => void) | undefined;
    const refused = new Promise<never>((_resolve, reject) => {
      onError = (error) => {
        const trouble = certificateTrouble(error);
        if (trouble !== undefined) reject(trouble);
      };
      this.on('error', onError);
    });
    try {
      return await Promise.race([super.acquire(options), refused]);
    } finally {
      if (onError !== undefined) this.off('error', onError);
    }
  }
}

interface HeaderFrame {
  readonly fields: {
    readonly contentType?: string;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
}

/** The content type as it was sent. */
export function contentTypeOf(headers: Readonly<Record<string, unknown>> | undefined) {
  const value = headers?.[CONTENT_TYPE];
  return typeof value === 'string' ? value : undefined;
}

function judged(lookup: LookupFunction, isRefused: (address: string) => boolean): LookupFunction {
  return (host, options, callback) =>
    lookup(host, options, (error, address, family) => {
      const found = typeof address === 'string' ? [address] : address.map((one) => one.address);
      // One private address among public ones is enough: a name that has both is an attack or a mistake.
      const refused = error === null ? found.find(isRefused) : undefined;
      callback(refused === undefined ? error : addressRefused(host), address, family);
    });
}

function addressRefused(host: string): FilewrightError {
  return ruledOut(
    `Expected a broker on the public internet, but ${host} resolves to a private or reserved address`,
  );
}
