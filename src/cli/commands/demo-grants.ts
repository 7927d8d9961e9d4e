/** `filewright demo grants`, beside the demonstration of the filings. */
import type { Command } from '../command.ts';
import { asOperator, making, newDirectoryOf, type GlobalOptions, withApp } from '../context.ts';

export function addDemoGrants(demo: Command): void {
  demo
    .command('grants')
    .description(
      'a year of a small nonprofit: awards, bank feeds, an outage, a threshold, a tax return',
    )
    .action(async (_own: object, command: Command) => {
      const given = command.optsWithGlobals<GlobalOptions>();
      // A closed year stays closed, so that every run has a tenant of its own.
      const options = { ...given, tenant: given.tenant ?? `grants-${Date.now().toString(36)}` };
      // Loaded here: the law and the pipeline are nothing that other commands shall wait for.
      const { demoGrants } = await import('./demo-grants-run.ts');
      await withApp(making(asOperator(options)), ({ app }) =>
        demoGrants(app, newDirectoryOf(options)),
      );
    });
}
