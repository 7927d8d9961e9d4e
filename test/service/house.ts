/** A firm with two people who can approve for each other, and its service on a free port of this machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonActor } from '../../src/access/actor.ts';
import type { Log, LogRecord } from '../../src/core/ports.ts';
import type { Filewright } from '../../src/filewright.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { addOwnKey } from '../../src/oversight/acts/user-keys.ts';
import { serveService, type ServiceSettings } from '../../src/service/acts/serve.ts';
import type { WebServer } from '../../src/server/acknowledgement-server.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, founders } from '../people/firm.ts';
import { Client } from './client.ts';

export class House {
  readonly firm: Firm;
  readonly app: Filewright;
  readonly ann: PersonActor;
  readonly ben: PersonActor;
  readonly client: Client;
  /** What the service logged. */
  readonly lines: LogRecord[];
  readonly #server: WebServer;

  private constructor(parts: {
    readonly firm: Firm;
    readonly app: Filewright;
    readonly people: readonly [PersonActor, PersonActor];
    readonly server: WebServer;
    readonly lines: LogRecord[];
  }) {
    this.firm = parts.firm;
    this.app = parts.app;
    [this.ann, this.ben] = parts.people;
    this.client = new Client(parts.server.url);
    this.lines = parts.lines;
    this.#server = parts.server;
  }

  static async make(settings: Partial<ServiceSettings> = {}): Promise<House> {
    const firm = await Firm.make();
    const lines: LogRecord[] = [];
    const log: Log = { write: (line) => void lines.push(line) };
    const app = { ...(await firm.tenant()), log };
    const [ann, ben] = await founders(app, 'Ann', 'Ben');
    if (ann === undefined || ben === undefined) throw new Error('nobody was founded');
    for (const code of ['us-de', 'us-ca', 'us-ny']) {
      const file = join(ROOT, `profiles/${code}.json`);
      await addPortal(app, ann, readProfile(readFileSync(file, 'utf8'), file));
    }
    const server = await serve(app, settings);
    return new House({ firm, app, people: [ann, ben], server, lines });
  }

  async keyOf(person: PersonActor): Promise<string> {
    return (await addOwnKey(this.app, person, { name: 'console' })).key;
  }

  async signedIn(person: PersonActor): Promise<string> {
    return this.client.signIn({ key: await this.keyOf(person) });
  }

  async rows(text: string): Promise<Record<string, unknown>[]> {
    return this.app.session.run({ name: '', text });
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.firm.close();
  }
}

export function serve(
  app: Filewright,
  settings: Partial<ServiceSettings> = {},
): Promise<WebServer> {
  const all = { host: '127.0.0.1', port: 0, perAddress: 1_000, ...settings };
  return serveService(app, OPERATOR, all);
}
