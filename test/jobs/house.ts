/** A tenant of its own on a shared real PostgreSQL, with a person, real receivers, and time that can be moved on. */
import { foundUser } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { LogRecord } from '../../src/core/ports.ts';
import { type JobsOptions, runBackgroundWorkOnce } from '../../src/oversight/jobs.ts';
import { approvedWebhook } from '../fixtures/approved.ts';
import { publishEvent } from '../../src/people/store/events.ts';
import type { Server } from '../delivery/server.ts';
import { TLS } from '../notify/mail-server.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

export class House {
  readonly app: Filewright;
  readonly person: PersonActor;
  readonly logged: LogRecord[];
  readonly #server: Server;

  private constructor(app: Filewright, person: PersonActor, server: Server, logged: LogRecord[]) {
    this.app = app;
    this.person = person;
    this.#server = server;
    this.logged = logged;
  }

  static async open(server: Server): Promise<House> {
    const logged: LogRecord[] = [];
    const app = await createFilewright({
      dataDirectory: server.dataDirectory,
      tenant: `jobs-${server.nextTenant()}`,
      log: { write: (record) => logged.push(record) },
    });
    const { key } = await foundUser(app, OPERATOR, 'clerk');
    await foundUser(app, OPERATOR, 'second clerk');
    return new House(app, await personOf(app, key), server, logged);
  }

  get environment(): Record<string, string> {
    return { ...OWN_MACHINE, SMTP: this.smtp };
  }

  smtp = '';

  options(changes: Partial<JobsOptions> = {}): JobsOptions {
    return {
      ...this.app,
      target: this.#server.target,
      schema: 'filewright',
      environment: this.environment,
      network: { certificateAuthorities: [TLS.cert], webhookMs: 2_000, mailAnswerMs: 2_000 },
      pollMs: 50,
      ...changes,
    };
  }

  /** Everything that is due now, and what follows from it. */
  once(changes: Partial<JobsOptions> = {}, also = {}) {
    return runBackgroundWorkOnce(this.options(changes), also);
  }

  async webhook(url: string, types: readonly string[] = []) {
    const { environment, person } = this;
    const input = { url, types, allowPrivateAddresses: true, environment };
    return approvedWebhook(this.app, person, input);
  }

  async publish(type = 'SOMETHING_HAPPENED', data = {}): Promise<string> {
    const id = this.app.ids.next();
    await this.app.session.transaction((run) =>
      publishEvent(run, this.app.tenant, { id, type, data }),
    );
    return id;
  }

  rows(text: string, ...values: unknown[]) {
    return this.app.session.run({ name: '', text }, [this.app.tenant, ...values]);
  }

  async count(what: string): Promise<number> {
    const [row] = await this.rows(`select count(*)::int as n from ${what} and tenant = $1`);
    return Number(row?.['n']);
  }

  /** Lets time pass for everything that is stored. */
  async later(ms: number): Promise<void> {
    const back = `- ${ms} * interval '1 millisecond'`;
    for (const text of [
      `update work set next_at = next_at ${back} where tenant = $1`,
      `update subscription_secret set expires_at = expires_at ${back} where tenant = $1`,
    ]) {
      await this.rows(text);
    }
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

export const HOUR_MS = 3_600_000;
