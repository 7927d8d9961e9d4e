import { misuse } from '../../core/index.ts';

const URL_CHARS_MAX = 2_000;

/** An address that webhooks may be sent to. Where it leads is judged at each send, because names change. */
export function checkWebhookUrl(
  text: string,
  options: { readonly allowPrivateAddresses: boolean },
): string {
  const refuse = (why: string): never => {
    throw misuse(`Expected a webhook address, but ${why}`);
  };
  if (text.length > URL_CHARS_MAX) refuse(`it is longer than ${URL_CHARS_MAX} characters`);
  if (!URL.canParse(text)) refuse('this is not a URL; write it like https://host/path');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    refuse('it contains a user name or password; receivers check the signature instead');
  }
  if (url.hash !== '') refuse('it has a fragment (#), which is never sent');
  if (url.protocol === 'http:' && !options.allowPrivateAddresses) {
    refuse('http is not encrypted; use https, or allow private addresses for a local receiver');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('only https is allowed');
  return url.href;
}
