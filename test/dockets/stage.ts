/** A tenant of its own on a shared embedded server, a firm with four tiers, and routers in this process. */
import { partyId } from '../../src/core/index.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import type { Viewer } from '../../src/dockets/rules/access/visible.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import type { RoutingPolicy } from '../../src/dockets/rules/routing/policy.ts';
import type { Tier } from '../../src/dockets/rules/routing/tiers.ts';
import { importDockets } from '../../src/dockets/routing/intake.ts';
import { changeRouting, loadRouting } from '../../src/dockets/routing/setup.ts';
import {
  type RouterOptions,
  type RunningRouter,
  startRouter,
} from '../../src/dockets/routing/router.ts';
import type { RoutingDeps } from '../../src/dockets/routing/deps.ts';
import { viewerOf } from '../../src/dockets/routing/docket-acts.ts';
import type { DocketAdmission } from '../../src/dockets/store/docket-rows.ts';
import type { Server } from '../delivery/server.ts';
import { shippedPatentLaw } from '../law/patent-law.ts';
import { Endpoint } from './firm-server.ts';
import { OPERATOR } from '../operator.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';
import { takeAnyFact, takeAnyRouting } from '../store-contract/postgres-world.ts';

export const law = shippedPatentLaw();
const SCHEMA = 'filewright';

/** Short times, so that a test is short; the rules are the same. */
export const quick = (stated: RoutingPolicy): RoutingPolicy => ({
  ...stated,
  timeoutMs: 400,
  backoffMsMin: 50,
  backoffMsMax: 100,
  outcomeMsMax: 2_500,
  breaker: { failures: 3, coolDownMs: 300, probeSpacingMs: 150 },
});

export type Row = Readonly<Record<string, JsonValue>>;

/** Dated by its source alone, far in the future: no test depends on the day on which it runs. */
export const REJECTION: Row = {
  application_number: '18/300101',
  filing_date: '2024-03-11',
  event_code: 'CTNF',
  due_date: '2099-01-05',
  client: 'Northwind',
  technology_group: 'BIO',
};

export class Stage {
  readonly app: Filewright;
  readonly parts: RoutingDeps;
  readonly endpoints: Readonly<Record<Tier, Endpoint>>;
  readonly #server: Server;
  readonly #routers = new Set<RunningRouter>();

  private constructor(app: Filewright, server: Server, endpoints: Stage['endpoints']) {
    this.app = app;
    this.#server = server;
    this.endpoints = endpoints;
    const { session, tenant, clock, ids, random, vault, log } = app;
    this.parts = { session, tenant, clock, ids, random, vault, log, law: () => law, policy: quick };
  }

  static async set(server: Server, matrixChanges: object = {}): Promise<Stage> {
    const app = await createFilewright({
      dataDirectory: server.dataDirectory,
      tenant: `dockets-${process.pid}-${server.nextTenant()}`,
    });
    // Driven below the acts, where nobody has shown a key: what is told of whom is the tests' own affair.
    await takeAnyFact(app.session);
    await takeAnyRouting(app.session);
    const names = { PRIMARY: 'team', SECONDARY: 'lead', TERTIARY: 'supervisor', MANUAL: 'desk' };
    const entries = await Promise.all(
      Object.entries(names).map(async ([tier, name]) => [tier, await new Endpoint(name).listen()]),
    );
    const stage = new Stage(app, server, Object.fromEntries(entries));
    await stage.activate(matrixChanges);
    return stage;
  }

  async activate(
    matrixChanges: object = {},
    changes: { readonly people?: object } = {},
  ): Promise<void> {
    const { matrix, people } = this.documents(matrixChanges);
    const texts = {
      matrix: { file: 'matrix.json', text: JSON.stringify(matrix) },
      people: { file: 'people.json', text: JSON.stringify({ ...people, ...changes.people }) },
    };
    const actor = { kind: 'user', id: 'test' } as const;
    await changeRouting(this.parts, () => Promise.resolve(texts), actor);
  }

  documents(matrixChanges: object = {}): { readonly matrix: object; readonly people: object } {
    const { PRIMARY, SECONDARY, TERTIARY, MANUAL } = this.endpoints;
    const http = (endpoint: Endpoint, party: string): object => ({
      kind: 'http',
      address: endpoint.url,
      party,
    });
    return {
      matrix: {
        kind: 'routing-matrix',
        format: 1,
        title: 'A firm for tests',
        targets: {
          team: http(PRIMARY, 'team'),
          lead: http(SECONDARY, 'ruiz'),
          supervisor: http(TERTIARY, 'moreau'),
          desk: http(MANUAL, 'hart'),
        },
        nodes: {
          team: { tier: 'PRIMARY', target: 'team', next: ['lead'] },
          lead: { tier: 'SECONDARY', target: 'lead', next: ['supervisor'] },
          supervisor: { tier: 'TERTIARY', target: 'supervisor', next: ['desk'] },
          desk: { tier: 'MANUAL', target: 'desk' },
        },
        routes: [{ client: '*', technology_group: '*', event: '*', start: 'team' }],
        privileged: ['hart'],
        ...matrixChanges,
      },
      people: {
        kind: 'people',
        format: 1,
        zone: 'America/New_York',
        persons: {
          ruiz: { name: 'Elena Ruiz', target: 'lead', allow: ['client:*', 'privilege:*'] },
          moreau: {
            name: 'Claire Moreau',
            target: 'supervisor',
            allow: ['client:*', 'privilege:*'],
          },
          hart: {
            name: 'Judith Hart',
            target: 'desk',
            allow: ['client:*', 'class:*', 'privilege:*'],
          },
        },
        teams: { team: { name: 'The team', members: ['ruiz'] } },
      },
    };
  }

  /** Application numbers 1 … count. */
  async feed(count: number, row: Row = {}): Promise<readonly DocketAdmission[]> {
    return importDockets(
      this.parts,
      Array.from({ length: count }, (_, n) =>
        this.incoming({ application_number: `18/${300_000 + n}`, ...row }),
      ),
    );
  }

  incoming(row: Row) {
    const record = { ...REJECTION, ...row };
    return {
      payload: Buffer.from(`${JSON.stringify(record)} `),
      contentType: 'application/json',
      source: 'test.ndjson',
      reading: readDocketRow(record),
    };
  }

  options(changes: Partial<RouterOptions> = {}): RouterOptions {
    const { session: _session, ...parts } = this.parts;
    return {
      ...parts,
      target: { ...this.#server.target, settings: { 'fw.tenant': this.app.tenant } },
      schema: SCHEMA,
      transport: { allowPrivateAddresses: () => ANY_PRIVATE },
      pollMs: 20,
      recovery: { everyMs: 50 },
      ...changes,
    };
  }

  async router(changes: Partial<RouterOptions> = {}): Promise<RunningRouter> {
    const router = await startRouter(this.options(changes));
    this.#routers.add(router);
    return router;
  }

  async viewer(id = 'hart'): Promise<Viewer> {
    return viewerOf((await loadRouting(this.parts)).people, partyId(id));
  }

  async count(where: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.read(`select count(*) as n from ${where}`, values);
    return Number(row?.['n']);
  }

  read(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.app.session.run({ name: '', text }, [this.app.tenant, ...values]);
  }

  confirmed(): Promise<number> {
    return this.count(`docket where tenant = $1 and phase = 'confirmed'`);
  }

  /** Every fact of this tenant, sequenced, in the order of its log. */
  async facts(boundary: 'filing' | 'access' = 'filing'): Promise<readonly Fact[]> {
    await this.app.sequencer.checkpoint();
    const rows = await this.read(
      `select bytes from ledger_entry where tenant = $1 and boundary = $2 order by seq`,
      [boundary],
    );
    return rows.map(
      (row) => JSON.parse(Buffer.from(row['bytes'] as Uint8Array).toString()) as Fact,
    );
  }

  /** Whether every log of this tenant, with its sealed bodies, is sound. */
  async isLedgerSound(): Promise<boolean> {
    const { ok, logs } = await verifyLedger(this.app, OPERATOR, { bodies: true });
    if (!ok) throw new Error(JSON.stringify(logs));
    return ok;
  }

  async stopRouters(): Promise<void> {
    for (const router of this.#routers) await router.stop();
    this.#routers.clear();
  }

  async close(): Promise<void> {
    await this.stopRouters();
    await Promise.all(Object.values(this.endpoints).map((endpoint) => endpoint.close()));
    await this.app.close();
  }
}

export interface Fact {
  readonly type: string;
  readonly subj: { readonly kind: string; readonly id: string; readonly ver: number };
  readonly data: Readonly<Record<string, JsonValue>>;
}
