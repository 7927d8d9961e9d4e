/** Which messages can be handed over at all: asked when they come in, so that no target pays for one that cannot. */
import type { BrokerMessage } from '../brokers/message.ts';
import { contentTypeFault, FilewrightError } from '../../core/index.ts';
import type { IncomingDocket } from './incoming-docket.ts';

/** What could never be written to a target must not look like a failure of every target that is tried. */
export function requireSendable({ contentType, source, message }: IncomingDocket): void {
  const fault = contentTypeFault(contentType);
  if (fault === undefined) return;
  const place = message === undefined ? source : `${source}, message ${message.message}`;
  throw new FilewrightError(
    'MESSAGE_UNSENDABLE',
    `${place}: the content type cannot be sent: ${fault}. Ask the sender to use one like application/json`,
  );
}

export const BYTES = 'application/octet-stream';

/** A sender that states none, or an empty one, states nothing. */
export function typeOf({ contentType = '' }: BrokerMessage, otherwise: string): string {
  return contentType === '' ? otherwise : contentType;
}

export function isSendable(message: BrokerMessage): boolean {
  return contentTypeFault(typeOf(message, BYTES)) === undefined;
}
