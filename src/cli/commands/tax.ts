import type { Command } from '../command.ts';
import type {
  DelawareRates,
  InstallmentsAnswer,
  LateAnswer,
  TaxAnswer,
} from '../../entities/index.ts';
import { answerLines } from '../answer-lines.ts';
import { notFound } from '../../core/index.ts';
import type { GlobalOptions } from '../context.ts';
import { createOutput, table } from '../output.ts';
import { showEntityTax } from './tax-text.ts';

export function addCommands(tax: Command): void {
  addStateTaxes(tax);
  tax
    .command('delaware')
    .description(
      'NDJSON cases on stdin {id, authorized: [{shares, par}], issued, gross_assets, large_filer, method, tax_year}; both methods; the lesser by default',
    )
    .action(async (_own: object, command: Command) => {
      const { answerTax } = await import('../../entities/index.ts');
      const rates = await shippedRates();
      await answerLines({
        json: isJson(command),
        compute: (input) => answerTax(input, rates),
        show: showTax,
      });
    });

  tax
    .command('delaware-installments')
    .description('NDJSON cases on stdin {id, tax_year, preceding_year_tax, final_tax}')
    .action(async (_own: object, command: Command) => {
      const { answerInstallments } = await import('../../entities/index.ts');
      const rates = await shippedRates();
      await answerLines({
        json: isJson(command),
        compute: (input) => answerInstallments(input, rates),
        show: showInstallments,
      });
    });

  tax
    .command('delaware-late')
    .description('NDJSON cases on stdin {id, entity_kind, tax, due, filed_and_paid}')
    .action(async (_own: object, command: Command) => {
      const { answerLate } = await import('../../entities/index.ts');
      const rates = await shippedRates();
      await answerLines({
        json: isJson(command),
        compute: (input) => answerLate(input, rates),
        show: showLate,
      });
    });
}

function addStateTaxes(tax: Command): void {
  tax
    .command('evaluate')
    .description(
      'NDJSON cases on stdin {id, kind, input}: amounts and due dates of other state taxes; tax list shows the kinds',
    )
    .action(async (_own: object, command: Command) => {
      const { answerEntityTax } = await import('../../entities/index.ts');
      const law = await shippedTaxes();
      const { shippedLaw } = await import('../../system/index.ts');
      const deps = { law, businessDays: shippedLaw().calendar(law.calendar) };
      await answerLines({
        json: isJson(command),
        compute: (input) => answerEntityTax(input, deps),
        show: showEntityTax,
      });
    });

  tax
    .command('list')
    .description(
      'list the state taxes on file: amount, due date, what was read, and the kinds of evaluate',
    )
    .option('--jurisdiction <code>', 'one jurisdiction only')
    .action(async (own: { readonly jurisdiction?: string }, command: Command) => {
      const { TAX_KINDS } = await import('../../entities/index.ts');
      const law = await shippedTaxes();
      const isAsked = (one: { readonly jurisdiction: string }): boolean =>
        own.jurisdiction === undefined || one.jurisdiction === own.jurisdiction;
      const taxes = [...law.taxes.values()].filter(isAsked);
      const named = law.named.filter(isAsked);
      if (taxes.length + named.length === 0) {
        throw notFound(`No tax of ${own.jurisdiction} is on file; tax list shows all`);
      }
      const found = { version: law.version, kinds: TAX_KINDS, taxes, named };
      createOutput(isJson(command)).result('tax list', found, () =>
        [
          table(
            ['tax', 'name', 'due', 'basis', 'citation'],
            taxes.map((one) => [
              one.id,
              one.name,
              one.due,
              `${one.verified}/${one.confidence}`,
              `${one.citation ?? ''}${one.citation_basis === 'memory' ? ' *' : ''}`,
            ]),
          ),
          ...named.map((one) => `${one.jurisdiction}  ${one.tax}: ${one.figure} (${one.verified})`),
          '* the section is cited from memory; what is only named is not computed',
        ].join('\n'),
      );
    });
}

async function shippedTaxes() {
  const { readTaxLaw } = await import('../../entities/index.ts');
  const { shippedLaw } = await import('../../system/index.ts');
  return shippedLaw().compiled('rules/entity-taxes.json', readTaxLaw);
}

async function shippedRates(): Promise<DelawareRates> {
  const { readDelawareRates } = await import('../../entities/index.ts');
  const { shippedLaw } = await import('../../system/index.ts');
  return shippedLaw().compiled('rules/delaware-franchise-tax.json', readDelawareRates);
}

function isJson(command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json === true;
}

function showTax(id: string, answer: TaxAnswer): string {
  const figures = answer.intermediate;
  return [
    `${id}  tax $${answer.tax}  ${answer.method ?? 'large corporate filer'}  [${answer.citation}]`,
    `    authorized shares    $${figures.authorized_shares_tax}`,
    ...(figures.apvc_tax === undefined
      ? []
      : [
          `    assumed par value    $${figures.apvc_tax}  (par ${figures.assumed_par}, capital $${figures.assumed_par_value_capital})`,
        ]),
    ...(answer.difference === undefined ? [] : [`    difference           $${answer.difference}`]),
    ...reasonsOf(answer),
  ].join('\n');
}

function showInstallments(id: string, answer: InstallmentsAnswer): string {
  const unknownBalance = answer.required ? 'the final tax minus these' : 'the final tax';
  return [
    `${id}  tentative payments ${answer.required ? 'required' : 'not required'}  [${answer.citation}]`,
    ...answer.payments.map(
      ({ due, amount }) => `    ${due}  ${amount === null ? unknownBalance : `$${amount}`}`,
    ),
    ...reasonsOf(answer),
  ].join('\n');
}

function showLate(id: string, answer: LateAnswer): string {
  return [
    `${id}  ${answer.months_or_portions} months or portions late  penalty $${answer.penalty}  [${answer.citation}]`,
    `    interest on tax and penalty $${answer.interest_tax_and_penalty}, on tax alone $${answer.interest_tax_only}; to pay $${answer.total}`,
    ...reasonsOf(answer),
  ].join('\n');
}

function reasonsOf(answer: TaxAnswer | InstallmentsAnswer | LateAnswer): string[] {
  return [
    ...answer.steps.map(({ n, text, citation }) => `    ${n}. ${text} [${citation}]`),
    ...(answer.notes ?? []).map((note) => `    note: ${note}`),
    `    confidence ${answer.confidence}, rules ${answer.rule_version}`,
  ];
}
