/** Who asks: the session in the cookie, or the token in the header. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Entrance, PersonActor } from '../../access/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { SignedIn } from '../../people/index.ts';

/** A browser takes the first only over TLS, from this host, for the whole of it; without TLS the name must do without. */
const SECURE_COOKIE = '__Host-filewright';
const PLAIN_COOKIE = 'filewright';
const SECRET = /^fw[st]_[A-Za-z0-9_-]{43}$/;
const BEARER = /^Bearer +(fwt_[A-Za-z0-9_-]{43})$/i;

export interface Entered {
  readonly actor: PersonActor;
  readonly entrance: Entrance;
}

export function enteredAs({ person, entrance }: SignedIn): Entered {
  return { actor: { kind: 'person', ...person }, entrance };
}

function cookieName(isSecure: boolean): string {
  return isSecure ? SECURE_COOKIE : PLAIN_COOKIE;
}

/** Undefined where none came. A header that is there and is no token is refused, and the cookie is not looked at. */
export function secretOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  isSecure: boolean,
): { readonly secret: string; readonly isCookie: boolean } | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const [, token] = BEARER.exec(authorization) ?? [];
    if (token !== undefined) return { secret: token, isCookie: false };
    throw new FilewrightError('BAD_CREDENTIAL', 'Authorization: expected "Bearer" and a token');
  }
  const name = `${cookieName(isSecure)}=`;
  const cookie = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(name))
    ?.slice(name.length);
  if (cookie === undefined || cookie === '') return undefined;
  if (!SECRET.test(cookie)) throw new FilewrightError('BAD_CREDENTIAL', 'The session is unknown');
  return { secret: cookie, isCookie: true };
}

export function setCookie(reply: FastifyReply, value: string, isSecure: boolean): void {
  const parts = [
    `${cookieName(isSecure)}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(value === '' ? ['Max-Age=0'] : []),
  ];
  void reply.header('set-cookie', parts.join('; '));
}
