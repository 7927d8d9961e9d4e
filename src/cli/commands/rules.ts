/** What law is loaded, and what would change if another one were. */
import type { Command } from '../command.ts';
import { EXIT, notFound } from '../../core/index.ts';
import type { GlobalOptions } from '../context.ts';
import { createOutput, table } from '../output.ts';

export function addCommands(rules: Command): void {
  addList(rules);
  addDiff(rules);
}

function addList(rules: Command): void {
  rules
    .command('list')
    .description('list patent rules and calendars with version, confidence and citation')
    .option('--office <code>', 'only the rules of this office')
    .action(async (own: { readonly office?: string }, command: Command) => {
      const { patentLaw } = await import('../patent-law.ts');
      const law = patentLaw({});
      const listed = [...law.rules.rules.values()].filter(
        (rule) => own.office === undefined || rule.offices.includes(own.office),
      );
      if (listed.length === 0) {
        const offices = new Set([...law.rules.rules.values()].flatMap((rule) => rule.offices));
        throw notFound(
          `No rule of office ${own.office} is loaded; there are rules of ${[...offices].sort().join(', ')}`,
        );
      }
      const calendars = [...law.calendars.values()];
      createOutput(command.optsWithGlobals<GlobalOptions>().json === true).result(
        'rules list',
        {
          version: law.rules.version,
          rules: listed,
          calendars: calendars.map(({ code, title, version, zone }) => ({
            code,
            title,
            version,
            zone,
          })),
        },
        () =>
          [
            `Patent rules ${law.rules.version}`,
            table(
              ['rule', 'office', 'period', 'rolls', 'confidence', 'title', 'citation'],
              listed.map((rule) => [
                rule.rule,
                rule.offices.join(','),
                rule.period ?? 'from case',
                rule.roll ? 'yes' : 'no',
                rule.confidence,
                rule.title,
                rule.citation,
              ]),
            ),
            '',
            table(
              ['calendar', 'version', 'zone', 'title'],
              calendars.map((one) => [one.code, one.version, one.zone, one.title]),
            ),
          ].join('\n'),
      );
    });
}

function addDiff(rules: Command): void {
  rules
    .command('diff <old> <new>')
    .description(
      'show the differences between two law folders or files and, with --cases, which dates would change. ' +
        'Exits with 5 (a person is needed) if a date would be earlier or could not be computed, otherwise 0.',
    )
    .option('--cases <file>', 'cases of open dates, one JSON object per line')
    .action(
      async (
        before: string,
        after: string,
        own: { readonly cases?: string },
        command: Command,
      ): Promise<void> => {
        const { compareLaws, comparisonText, comparisonWire } = await import(
          '../law-comparison.ts'
        );
        const found = await compareLaws({ before, after, cases: own.cases });
        createOutput(command.optsWithGlobals<GlobalOptions>().json === true).result(
          'rules diff',
          comparisonWire(found),
          () => comparisonText(found),
        );
        if (found.earlier > 0 || found.unanswered.length > 0) process.exitCode = EXIT.conflict;
      },
    );
}
