import { misuse } from '../../core/index.ts';

// Narrower than RFC 5321 on purpose: quoted local parts and address literals are far more often an attack than a person.
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const ADDRESS_CHARS_MAX = 254;
/** `Name <address>`; the name in letters that need no quoting. */
const NAMED = /^([\p{L}\p{N}][\p{L}\p{N} .'-]{0,99}) <([^<>]+)>$/u;

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

function isMailAddress(text: string): boolean {
  return text.length <= ADDRESS_CHARS_MAX && ADDRESS.test(text);
}

/** One address. Refused in words, so that no header is ever built from anything else. */
export function checkMailAddress(text: string): string {
  if (isMailAddress(text)) return text;
  throw misuse(`Expected an email address like name@example.org, found ${JSON.stringify(text)}`);
}

/** `name@host` or `Name <name@host>`. */
export function parseMailbox(text: string): Mailbox {
  const named = NAMED.exec(text);
  if (named === null) return { name: '', address: checkMailAddress(text) };
  return { name: named[1] ?? '', address: checkMailAddress(named[2] ?? '') };
}
