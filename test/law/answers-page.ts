/**
 * docs/reference/answers.md: fifty answers of each pack as the command line writes them, for a person who asks what a file
 * note looks like. A pack is a title, a command and its notes; `npm run answers` writes the page.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluatedWords } from '../../src/cli/commands/grants-evaluate-text.ts';
import { explained } from '../../src/cli/commands/obligation-text.ts';
import { showEntityTax } from '../../src/cli/commands/tax-text.ts';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { answerObligation } from '../../src/entities/rules/law/obligation-answer.ts';
import { answerEntityTax } from '../../src/entities/rules/law/taxes/answer-tax.ts';
import { readTaxLaw } from '../../src/entities/rules/law/taxes/tax-law.ts';
import { answerOf, evaluateGrantsCase } from '../../src/grants/rules/evaluate.ts';
import { grantsLawFrom } from '../../src/grants/rules/law.ts';
import { shippedLaw } from '../../src/system/law-files.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Note {
  readonly question: Fields;
  readonly words: string;
}

interface Pack {
  readonly title: string;
  readonly command: string;
  readonly notes: readonly Note[];
}

export const NOTES_PER_PACK = 50;
const ANSWERS = /^(expected|last_timely_day|conservative_due|why|source|confidence|verified|basis)/;

export function answersPage(): string {
  const packs = [entities(), grants()];
  return [
    '# Answers, as file notes',
    '',
    'A sample of the answers of each pack, written by the program itself: what was asked, then the answer with its steps, their',
    'sources, the confidence and the versions. `npm run answers` writes this page, and a test fails when it is not current.',
    'The dates are those of the golden cases in `test/golden/`. None is advice: the office’s or the state’s own record controls.',
    '',
    ...packs.flatMap(packLines),
  ].join('\n');
}

function packLines({ title, command, notes }: Pack): string[] {
  return [
    `## ${title}`,
    '',
    `\`${command}\``,
    '',
    ...notes.flatMap(({ question, words }, index) => [
      `### ${title} ${index + 1}`,
      '',
      `Asked: ${askedWords(question)}`,
      '',
      '```text',
      ...words.split('\n').map((line) => line.trimEnd()),
      '```',
      '',
    ]),
  ];
}

function askedWords(question: Fields): string {
  return Object.entries(question)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** Spread over the whole list, so that each part of it is seen. */
function sample<Item>(items: readonly Item[], count: number): readonly Item[] {
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor((index * items.length) / count)],
  ).filter((item) => item !== undefined);
}

function golden(name: string): Readonly<Record<string, readonly Fields[]>> {
  const text = readFileSync(join(import.meta.dirname, `../golden/${name}.golden.json`), 'utf8');
  // The files are ours, and their form is stated beside them.
  return JSON.parse(text) as Readonly<Record<string, readonly Fields[]>>;
}

function questionOf(one: Fields): Fields {
  return Object.fromEntries(
    Object.entries(one).filter(([name]) => name !== 'id' && !ANSWERS.test(name)),
  );
}

function entities(): Pack {
  const law = registerLaw();
  const taxes = shippedLaw().compiled('rules/entity-taxes.json', readTaxLaw);
  const deps = { law: taxes, businessDays: shippedLaw().calendar(taxes.calendar) };
  const { cases = [], tax_cases: taxCases = [] } = golden('entity-2');
  const first = golden('entity-deadlines')['cases'] ?? [];
  return {
    title: 'Entities',
    command: 'filewright obligation explain … and filewright tax evaluate < cases.ndjson',
    notes: [
      ...[...sample(first, 10), ...sample(cases, 30)].map((one) => {
        const question = questionOf(one);
        return { question, words: explained(answerObligation(question, law)) };
      }),
      ...sample(taxCases, 10).map((one) => {
        const question = questionOf(one);
        const words = showEntityTax(String(one['id']), answerEntityTax(question, deps));
        return { question: { kind: question['kind'], ...(question['input'] as Fields) }, words };
      }),
    ],
  };
}

function grants(): Pack {
  const law = grantsLawFrom(shippedLaw());
  const first = (golden('grants')['cases'] ?? []).filter(
    (one) => one['kind'] !== 'reconcile.match',
  );
  const second = golden('grants-2')['cases'] ?? [];
  return {
    title: 'Grants',
    command: 'filewright grants evaluate < cases.ndjson',
    notes: [...sample(first, 20), ...sample(second, 30)].map((one) => {
      const { kind, input } = one as { readonly kind: string; readonly input: Fields };
      const answer = answerOf(evaluateGrantsCase({ kind, input }, law));
      return { question: { kind, ...input }, words: evaluatedWords(String(one['id']), answer) };
    }),
  };
}
