/** A client of the service over real HTTP, as a program would write it. */
import { randomUUID } from 'node:crypto';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly cookie?: string;
  readonly token?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file instead of JSON. */
  readonly file?: { readonly type: string; readonly bytes: string | Uint8Array };
}

export class Client {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, asking: Asking = {}): Promise<Answer> {
    return this.ask('GET', path, undefined, asking);
  }

  post(path: string, body: unknown, asking: Asking = {}): Promise<Answer> {
    return this.ask('POST', path, body, asking);
  }

  async ask(method: string, path: string, body: unknown, asking: Asking = {}): Promise<Answer> {
    const { cookie, token, key, file, headers = {} } = asking;
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'GET' ? {} : { 'idempotency-key': key ?? randomUUID() }),
        ...(file !== undefined ? { 'content-type': file.type } : {}),
        ...(file === undefined && body !== undefined ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(file !== undefined ? { body: file.bytes } : {}),
      ...(file === undefined && body !== undefined
        ? { body: typeof body === 'string' ? body : JSON.stringify(body) }
        : {}),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: jsonOf(text) };
  }

  /** The cookie of a new session. */
  async signIn(shown: { readonly key: string } | { readonly link: string }): Promise<string> {
    const answer = await this.post('/sign-in', shown);
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    if (answer.status !== 200 || cookie === '') throw new Error(`not signed in: ${answer.text}`);
    return cookie;
  }
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
