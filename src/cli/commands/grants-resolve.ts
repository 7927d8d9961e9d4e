/** What a person says of a bank line: which awards it pays, in which parts, or that it is not grant money; and taking that back. */
import type { Command } from '../command.ts';
import type { Pipeline } from '../../grants/index.ts';
import { checkReason, misuse } from '../../core/index.ts';
import { dollars, readAmount } from './grants-arguments.ts';
import { acting } from './grants-reconcile.ts';

interface ResolveOptions {
  readonly award?: string[];
  readonly split?: string[];
  readonly notGrantMoney?: true;
  readonly undo?: true;
  readonly fee?: string;
  readonly restOpen?: string;
  readonly restNone?: string;
  readonly reason: string;
}

const AGAIN = 'Run grants reconcile again.';

export function addGrantsResolve(grants: Command): void {
  grants
    .command('resolve <line>')
    .description(
      'resolve a bank line that the rules leave to a person; 8 digits of its id and its number are enough: 897b9a56#2',
    )
    .option(
      '--award <keys...>',
      'the awards that it pays, or the one award that it reverses; omit if it pays no award',
    )
    .option(
      '--split <parts...>',
      'the awards that it pays with the amount for each, like 2f81c09d=1500.00',
    )
    .option('--not-grant-money', 'it pays no award; the same as no award at all')
    .option('--undo', 'take back the last decision about this line, before its period is closed')
    .option(
      '--fee <amount>',
      'the fee that the bank deducted, like 25.00; it counts as received on the award',
    )
    .option(
      '--rest-open <amount>',
      'the remainder of the line that is not identified yet, like 120.00; the line stays open until it is',
    )
    .option('--rest-none <amount>', 'the remainder of the line that pays none of your awards')
    .requiredOption('--reason <text>', 'reason; recorded in the ledger')
    .action(async (name: string, own: ResolveOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const reason = checkReason('--reason', own.reason);
        checkTogether(own);
        if (own.undo === true) {
          const { line, undone } = await pipeline.undo({ line: name, reason, by: person.id });
          const { awards } = undone;
          const was = awards.length === 0 ? 'that it pays no award' : `for ${awards.join(', ')}`;
          out.result(
            'grants resolve',
            { line, undone, reason },
            () => `${line}: the decision (${was}) is undone. ${AGAIN}`,
          );
          return;
        }
        const parts = own.split?.map(partOf);
        const feeCents = own.fee === undefined ? 0 : readAmount('--fee', own.fee);
        const rest = restOf(own);
        const { line, expectedPayments } = await pipeline.resolve({
          line: name,
          expectedPayments: parts?.map(({ award }) => award) ?? own.award ?? [],
          ...(parts !== undefined && { cents: parts.map(({ cents }) => cents) }),
          feeCents,
          reason,
          by: person.id,
          ...(rest !== undefined && { rest }),
        });
        const resolved = {
          line,
          expectedPayments,
          ...(parts !== undefined && { cents: parts.map(({ cents }) => cents) }),
          feeCents,
          ...(rest !== undefined && { rest }),
          reason,
        };
        out.result('grants resolve', resolved, () => resolvedWords(resolved));
      }),
    );
}

/** What contradicts each other is refused, not guessed. */
function checkTogether(own: ResolveOptions): void {
  const said = [
    ...(own.award === undefined ? [] : ['--award']),
    ...(own.split === undefined ? [] : ['--split']),
    ...(own.notGrantMoney === undefined ? [] : ['--not-grant-money']),
    ...(own.undo === undefined ? [] : ['--undo']),
  ];
  if (said.length > 1) throw misuse(`Expected one of ${said.join(' and ')}, found both`);
  const amounts = [
    ...(own.fee === undefined ? [] : ['--fee']),
    ...(own.restOpen === undefined ? [] : ['--rest-open']),
    ...(own.restNone === undefined ? [] : ['--rest-none']),
  ];
  if (own.undo === true && amounts.length > 0) {
    throw misuse(`--undo takes no amounts; omit ${amounts.join(' and ')}`);
  }
}

function partOf(text: string): { readonly award: string; readonly cents: number } {
  const at = text.lastIndexOf('=');
  if (at <= 0)
    throw misuse(`--split: expected an award and an amount like 2f81c09d=1500.00, found "${text}"`);
  return { award: text.slice(0, at), cents: readAmount('--split', text.slice(at + 1)) };
}

type Rest = NonNullable<Parameters<Pipeline['resolve']>[0]['rest']>;

function restOf({ restOpen, restNone }: ResolveOptions): Rest | undefined {
  if (restOpen !== undefined && restNone !== undefined) {
    throw misuse(
      'Expected one of --rest-open and --rest-none: the remainder is not identified yet, or pays none of your awards',
    );
  }
  if (restOpen !== undefined) return { state: 'open', cents: readAmount('--rest-open', restOpen) };
  if (restNone !== undefined) return { state: 'none', cents: readAmount('--rest-none', restNone) };
  return undefined;
}

function resolvedWords(resolved: {
  readonly line: string;
  readonly expectedPayments: readonly string[];
  readonly cents?: readonly number[];
  readonly feeCents: number;
  readonly rest?: Rest;
}): string {
  const { line, expectedPayments, cents, feeCents, rest } = resolved;
  if (expectedPayments.length === 0) return `${line} pays no award. ${AGAIN}`;
  const kept = feeCents === 0 ? '' : `; the bank deducted ${dollars(feeCents)}`;
  const awards = expectedPayments.map((key, index) => {
    const part = cents?.[index];
    return part === undefined ? key : `${key} (${dollars(part)})`;
  });
  const paid = `${line} is for ${awards.join(', ')}${kept}`;
  if (rest === undefined) return `${paid}. ${AGAIN}`;
  return rest.state === 'none'
    ? `${paid}; ${dollars(rest.cents)} of it pays none of your awards. ${AGAIN}`
    : `${paid}; ${dollars(rest.cents)} of it is not identified yet. The line and its period stay open: resolve the line again when the remainder is known.`;
}
