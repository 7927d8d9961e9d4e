/** The few figures that an operator is woken for, for Prometheus; names and their meaning in docs/guide/service.md. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OperatorActor } from '../access/index.ts';
import { signedLogs } from '../ledger/index.ts';
import { listAlerts } from '../oversight/index.ts';
import type { Pool } from './pool.ts';

const ALERTS_MAX = 500;

interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  readonly answered: (answer: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
  }) => void;
}

export function metricsOf(pool: Pool, actor: OperatorActor, clients: () => number): Metrics {
  const registers = [new Registry()];
  const [register] = registers;
  if (register === undefined) throw new Error('no registry');
  const requests = new Histogram({
    name: 'filewright_request_seconds',
    help: 'Time to answer a request, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.2, 1, 5, 30],
    registers,
  });
  const failed = new Counter({
    name: 'filewright_database_looks_failed_total',
    help: 'Looks at the database for these figures that failed.',
    registers,
  });
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const up = gauge('filewright_database_up', 'Whether the database answers.');
  const alerts = gauge('filewright_alerts_open', 'Alerts that no one acknowledged.', ['severity']);
  const unsigned = gauge(
    'filewright_ledger_unsigned_entries',
    'Entries after the signed head of a log.',
    ['log'],
  );
  const busy = gauge('filewright_connections_busy', 'Connections with a request on them.');
  const listening = gauge('filewright_stream_clients', 'Clients that listen to events.');
  return {
    contentType: register.contentType,
    answered: ({ method, route, status, ms }) =>
      requests.observe({ method, route, status: String(status) }, ms / 1_000),
    text: async () => {
      busy.set(pool.busy);
      listening.set(clients());
      try {
        const [open, logs] = await pool.use(async (app) => [
          await listAlerts(app, actor, { all: false, limit: ALERTS_MAX }),
          await signedLogs(app, actor),
        ]);
        alerts.reset();
        for (const severity of ['info', 'warning', 'critical'] as const) {
          alerts.set({ severity }, open.filter((one) => one.severity === severity).length);
        }
        for (const log of logs) unsigned.set({ log: log.boundary }, log.unsigned);
        up.set(1);
      } catch {
        // Told by the figures themselves.
        failed.inc();
        up.set(0);
      }
      return register.metrics();
    },
  };
}
