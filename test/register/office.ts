/** A tenant of its own on a shared real PostgreSQL, with two people and the register. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { importRegister, type RegisterImport } from '../../src/entities/acts/import.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { LogRecord } from '../../src/core/ports.ts';
import type { Profile } from '../../src/core/profile.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import type { Server } from '../delivery/server.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';

export const TODAY = '2026-11-15';

export class Office {
  readonly app: Filewright;
  readonly clerk: PersonActor;
  readonly approver: PersonActor;
  readonly logged: LogRecord[];
  readonly #server: Server;
  #files = 0;

  private constructor(
    app: Filewright,
    people: readonly [PersonActor, PersonActor],
    server: Server,
    logged: LogRecord[],
  ) {
    this.app = app;
    [this.clerk, this.approver] = people;
    this.#server = server;
    this.logged = logged;
  }

  static async open(server: Server): Promise<Office> {
    const logged: LogRecord[] = [];
    const app = await createFilewright({
      dataDirectory: server.dataDirectory,
      tenant: `office-${server.nextTenant()}`,
      log: { write: (record) => logged.push(record) },
    });
    const clerk = await foundUser(app, OPERATOR, 'clerk');
    const approver = await foundUser(app, OPERATOR, 'approver');
    const people = [await personOf(app, clerk.key), await personOf(app, approver.key)] as const;
    return new Office(app, people, server, logged);
  }

  file(content: string | Uint8Array, ending = 'csv'): string {
    this.#files += 1;
    const path = join(this.#server.dataDirectory, `${this.app.tenant}-${this.#files}.${ending}`);
    writeFileSync(path, content);
    return path;
  }

  import(
    content: string | Uint8Array,
    changes: Partial<RegisterImport> & { readonly ending?: string } = {},
  ) {
    const { ending = 'csv', ...rest } = changes;
    const path = this.file(content, ending);
    return importRegister(this.app, this.clerk, {
      path,
      dryRun: false,
      asOf: TODAY,
      errorFile: `${path}.errors`,
      ...rest,
    });
  }

  async lane(code: string, changes: Partial<Profile> = {}): Promise<void> {
    const profile = sampleProfile({ code, jurisdiction: code, ...changes });
    await addPortal(this.app, this.clerk, profile);
  }

  rows(text: string, ...values: unknown[]) {
    return this.app.session.run({ name: '', text }, [this.app.tenant, ...values]);
  }

  run = (
    statement: { readonly name: string; readonly text: string },
    values?: readonly unknown[],
  ) => this.app.session.run(statement, values);

  /** Everything that is stored or said of this tenant, as one text: no sealed word may be in it. */
  async everythingStored(): Promise<string> {
    const tables = await this.app.session.run({
      name: '',
      text: `select table_name from information_schema.columns
        where table_schema = 'filewright' and column_name = 'tenant'`,
    });
    const texts: string[] = [JSON.stringify(this.logged)];
    for (const { table_name: table } of tables) {
      // 'recipient' holds mail addresses in the clear by design; no name, no field.
      const found = await this.rows(
        `select coalesce(string_agg(t::text, ' '), '') as all from "${String(table)}" t where tenant = $1`,
      );
      texts.push(String(found[0]?.['all']));
    }
    return texts.join('\n');
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

export const HEADER =
  'entity_id,jurisdiction,registry_number,entity_name,entity_kind,origin,formation_date,state_record_due,agent_email,authorized,principal_office';

export function csv(...rows: readonly string[]): string {
  return `${[HEADER, ...rows].join('\n')}\n`;
}

/** A Delaware LLC: due June 1, $400 for tax year 2026. */
export function llc(
  id: string,
  changes: { number?: string; name?: string; formed?: string } = {},
): string {
  const {
    number = id.replaceAll(/\D/g, '').padStart(7, '7'),
    name = `Entity ${id} LLC`,
    formed = '2019-02-11',
  } = changes;
  return `${id},US-DE,${number},${name},llc,domestic,${formed},,,,1209 Orange Street`;
}

/** A California corporation: due at the end of January, window open, $25. */
export function corporation(
  id: string,
  changes: { number?: string; formed?: string } = {},
): string {
  const { number = `C${id.replaceAll(/\D/g, '')}`, formed = '2015-01-19' } = changes;
  return `${id},US-CA,${number},Corporation ${id},corporation,domestic,${formed},,,,455 Market Street`;
}

/** A California LLC: due on April 30, 2027, window open, $20. */
export function californiaLlc(id: string): string {
  return `${id},US-CA,L${id.replaceAll(/\D/g, '')},Company ${id},llc,domestic,2019-04-10,,,,`;
}
