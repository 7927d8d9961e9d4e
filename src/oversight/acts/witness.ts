/** `witness`: cosigns the heads of other installations' logs. Needs no database: a firm and its auditor may run one each. */
import { hostname } from 'node:os';
import { type Actor, allow } from '../../access/index.ts';
import { type Clock, type Log, misuse } from '../../core/index.ts';
import {
  ADD_CHECKPOINT_BYTES_MAX,
  createWitness,
  parseTrustPolicy,
  parseVerifierKey,
  type TrustedLog,
} from '../../ledger/index.ts';
import { startWitnessServer, type WebServer } from '../../server/index.ts';
import { WitnessFiles, witnessKey } from '../../system/index.ts';

interface WitnessSettings {
  /** Where the key and the last heads are kept. */
  readonly state: string;
  readonly name?: string;
  /** Verifier keys of the logs it cosigns. */
  readonly logs: readonly string[];
  /** The text of a tlog-policy file whose `log` lines count too. */
  readonly policy?: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly clock: Clock;
  readonly log: Log;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

export async function serveWitness(
  settings: WitnessSettings,
  actor: Actor,
): Promise<WebServer & { readonly vkey: string; readonly origins: readonly string[] }> {
  allow(actor, 'witness.serve');
  const { host, port, tls, clock, log } = settings;
  if (!LOOPBACK.test(host) && tls === undefined) {
    throw misuse(
      `--host ${host} is beyond this machine: give --tls-cert and --tls-key, or stay on 127.0.0.1 behind a TLS proxy`,
    );
  }
  const logs = logsOf(settings);
  const { name, seed } = witnessKey(settings.state, settings.name, hostname().toLowerCase());
  const memory = new WitnessFiles(settings.state);
  const witness = createWitness({ logs, name, seed, memory, clock });
  const door = {
    bodyBytesMax: ADD_CHECKPOINT_BYTES_MAX,
    add: async (body: string) => {
      const answer = await witness.add(body);
      const isContradiction = answer.status !== 200 && answer.isContradiction === true;
      if (isContradiction) {
        log.write({ level: 'error', event: 'witness.contradiction', error: answer.origin ?? '' });
      }
      return answer;
    },
    onTrouble: (error: unknown) =>
      log.write({ level: 'error', event: 'witness.failed', error: String(error) }),
  };
  const server = await startWitnessServer(door, {
    host,
    port,
    ...(tls === undefined ? {} : { tls }),
  });
  const origins = [...new Set(logs.map(({ key }) => key.name))];
  return { ...server, vkey: witness.verifierKey.text, origins };
}

function logsOf({ logs, policy }: WitnessSettings): readonly TrustedLog[] {
  const given = logs.map((text) => ({ key: parseVerifierKey(text) }));
  const listed = policy === undefined ? [] : parseTrustPolicy(policy).logs;
  const all = [...given, ...listed];
  if (all.some(({ key }) => key.role !== 'log')) {
    throw misuse('--log: expected the verifier key of a log, found the key of a witness');
  }
  if (all.length > 0) return all;
  throw misuse('Name the logs to cosign: --log VKEY, or --policy FILE with log lines');
}
