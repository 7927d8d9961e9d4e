import type { Command } from 'commander';
import { verifyLedger } from '../../acts/index.ts';
import { EXIT } from '../../core/index.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { table } from '../output.ts';

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('the ledger');

  audit
    .command('verify')
    .description(
      'check every log: chain, tree, order of states; with --bodies every sealed body too',
    )
    .option('--bodies', 'open and check each sealed body')
    .action(async (own: { bodies?: boolean }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out }) => {
        const report = await verifyLedger(app, { bodies: own.bodies === true });
        out.result('audit verify', report, () =>
          [
            table(
              ['log', 'entries', 'bodies', 'verdict', 'root'],
              report.logs.map((log) => [
                log.log,
                log.entries,
                log.bodies,
                log.ok ? 'verified' : `${log.reason} at ${log.seq ?? '-'}`,
                log.root,
              ]),
            ),
            report.ok ? 'The ledger verifies.' : 'THE LEDGER DOES NOT VERIFY.',
          ].join('\n'),
        );
        if (!report.ok) process.exitCode = EXIT.verification;
      }),
    );
}
