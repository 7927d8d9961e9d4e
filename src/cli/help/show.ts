/** Help by trade, with an example for each command. Loaded only when help is asked for. */
import type { Command } from '../command.ts';
import { hasColor, styled } from '../screen.ts';
import { type Example, EXAMPLES } from './examples.ts';
import { isTrade, type Trade, TRADES } from './trades.ts';

/** As wide as a terminal has been since there are terminals; a wider one makes no line longer. */
const WIDTH = 80;
const INDENT = '  ';

const entries: readonly (readonly [path: string, example: Example])[] = Object.entries(EXAMPLES);

/** Groups the commands of the program, and gives each command that is loaded its example. */
export function addHelp(program: Command): void {
  const order = Object.keys(TRADES);
  const rank = (command: { name(): string }): number =>
    order.indexOf(tradeOf(command.name()) ?? 'operator');
  // Groups are shown in the order of their first command. The list is the parser's own, and is parsed by name.
  (program.commands as Command[]).sort((a, b) => rank(a) - rank(b));
  for (const each of [program, ...program.commands]) colored(each as Command);
  program.configureHelp({
    styleTitle: bold,
    // In a list of what people do, the list itself is no entry.
    visibleCommands: ({ commands }) => [...commands],
  });
  for (const command of program.commands) {
    command.helpGroup(TRADES[tradeOf(command.name()) ?? 'operator']);
    addExamples(command as Command, command.name());
  }
  program.addHelpText('after', () => ['', ...elsewhere(), '', ...furtherWords()].join('\n'));
}

function bold(text: string): string {
  return styled('bold', text, process.stdout);
}

/** The parser takes the colors away again where it thinks that there are none. */
function colored(command: Command): void {
  command.configureHelp({ styleTitle: bold });
  command.configureOutput({ getOutHasColors: () => hasColor(process.stdout) });
  for (const each of command.commands) colored(each as Command);
}

/** `filewright help paralegal`: what that trade does, each with its example. */
export function helpOf(trade: Trade): string {
  const lines = entries
    .filter(([, [whose]]) => whose === trade)
    .map(([, [, example]]) => folded(example));
  return [`${TRADES[trade]}.`, '', ...lines, '', ...furtherWords()].join('\n');
}

export { isTrade };

/** Of a command with others under it, that of the first one. */
function tradeOf(noun: string): Trade | undefined {
  return entries.find(([path]) => path === noun || path.startsWith(`${noun} `))?.[1][0];
}

function addExamples(command: Command, path: string): void {
  const example = EXAMPLES[path]?.[1];
  if (example !== undefined) {
    command.addHelpText('after', () => `\nExample:\n${folded(example)}`);
  }
  for (const each of command.commands) addExamples(each as Command, `${path} ${each.name()}`);
}

/** What a trade finds under the nouns of another one: the approvals, above all. */
function elsewhere(): string[] {
  return Object.keys(TRADES).flatMap((trade) => {
    const paths = entries
      .filter(([path, [whose]]) => whose === trade && tradeOf(path.split(' ')[0] ?? '') !== trade)
      .map(([path]) => path);
    if (paths.length === 0) return [];
    const isAlone = !entries.some(([path]) => tradeOf(path.split(' ')[0] ?? '') === trade);
    const title = TRADES[trade as Trade];
    return [
      isAlone ? title : `${title.split(':')[0] ?? ''}, also`,
      ...fold(paths.join(', ').split(' '), INDENT, WIDTH),
    ];
  });
}

function furtherWords(): string[] {
  return [
    'One trade, with examples (or approver, docketing, accountant, operator):',
    '  filewright help paralegal',
    'One command:',
    '  filewright batch import --help',
    'Completion in bash (or zsh):',
    '  eval "$(filewright completion bash)"',
  ];
}

/** A command line over several lines, as a shell takes it: never within a quoted text. */
function folded(example: string): string {
  const words = `filewright ${example}`.match(/(?:"[^"]*"|\S)+/g) ?? [];
  return fold(words, INDENT, WIDTH - ' \\'.length, INDENT).join(' \\\n');
}

/** `more`: further in, from the second line on. */
function fold(words: readonly string[], indent: string, width: number, more = ''): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of words) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${more}${word}`;
    } else {
      line += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, line];
}
