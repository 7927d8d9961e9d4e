import type { Command } from '../command.ts';
import type { RouteDiagnosis } from '../../dockets/index.ts';
import { misuse } from '../../core/index.ts';
import { environment, type GlobalOptions, withApp } from '../context.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

interface RouteOptions {
  readonly verbose?: string;
  readonly allowPrivate?: true;
}

const MINUTE_MS = 60_000;

/** Added to the `diagnose` command, beside those about filings. */
export function addDiagnoseRoute(diagnose: Command): void {
  diagnose
    .command('route <docket>')
    .description(
      'why a docket is at its current step: attempts, connection and TLS times measured now, schema, who may see it; redacted',
    )
    .option(
      '--verbose <minutes>',
      'have routers on this machine log these targets in detail; ends automatically, after an hour at most',
    )
    .option('--allow-private', 'targets may be on this machine or in a private network')
    .action(async (id: string, own: RouteOptions, command: Command) => {
      const minutes = own.verbose === undefined ? undefined : Number(own.verbose);
      if (minutes !== undefined && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= 60)) {
        throw misuse(`--verbose: expected minutes from 1 to 60, found "${own.verbose}"`);
      }
      await withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { diagnoseRoute } = await import('../../dockets/index.ts');
        const { allowedPrivate } = await import('../../wire/index.ts');
        const found = await diagnoseRoute(app, actor, id, {
          allowPrivate: allowedPrivate(own.allowPrivate === true, environment),
          ...(minutes === undefined ? {} : { verboseMs: minutes * MINUTE_MS }),
        });
        out.result('diagnose route', found, () => diagnosisText(found));
      });
    });
}

function diagnosisText(found: RouteDiagnosis): string {
  return [
    `${found.docket}: ${found.standing}`,
    '',
    'Targets, contacted now',
    table(
      ['tier', 'target', 'kind', 'address', 'breaker', 'connect ms', 'TLS ms', 'result', 'trigger'],
      found.targets.map((one) => [
        one.tier,
        one.target,
        one.kind,
        one.address,
        one.breaker,
        one.connection?.connectMs ?? '-',
        one.connection?.tlsHandshakeMs ?? '-',
        one.connection?.code ?? one.connection?.result ?? 'not contacted',
        one.triggers.map(({ code }) => code).join(', '),
      ]),
    ),
    '',
    'Attempts',
    ...(found.transport.length === 0
      ? ['none yet']
      : found.transport.map((line) => JSON.stringify(line))),
    '',
    `Schema: ${found.schema.kind}`,
    ...found.schema.findings.map((finding) => `  ${finding}`),
    '',
    'Who may see it',
    table(
      ['tier', 'target', 'party', 'verdict', 'why'],
      found.permissions.map((one) => [
        one.tier,
        one.target,
        one.party ?? '',
        one.verdict,
        one.why ?? '',
      ]),
    ),
    ...found.verbose.map(
      ({ target, until, lines }) =>
        `\nVerbose log of ${target}${until === undefined ? ', off' : `, on until ${moment(until)}`}\n${lines.map((line) => JSON.stringify(line)).join('\n')}`,
    ),
  ].join('\n');
}
