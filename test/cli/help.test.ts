/** Help is by trade, has an example for each command, and fits the screen; Tab completes what help knows. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { EXAMPLES } from '../../src/cli/help/examples.ts';
import { helpOf } from '../../src/cli/help/show.ts';
import { type Trade, TRADES } from '../../src/cli/help/trades.ts';
import { build } from '../fixtures/built-tree.ts';
import { MAIN } from '../fixtures/cli.ts';
import { commandPaths, faultsOf, program } from '../fixtures/command-lines.ts';

const paths = commandPaths().map(([path]) => path);

/** All that `--help` writes, with what is added after it. */
function helpText(command: typeof program): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe('the catalogue of examples', () => {
  it('has one line for each command; a new command needs its trade and its example in src/cli/help/examples.ts', () => {
    expect(paths.length).toBeGreaterThan(150);
    expect(paths.filter((path) => !Object.hasOwn(EXAMPLES, path))).toEqual([]);
  });

  it('has no line for a command that is gone', () => {
    expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('shows the command itself, with options that it takes', () => {
    for (const [path, [trade, example]] of Object.entries(EXAMPLES)) {
      expect(Object.keys(TRADES), path).toContain(trade);
      expect(`${example} `.startsWith(`${path} `), path).toBe(true);
      expect(faultsOf(`filewright ${example.replace(/ <.*$/, '')}`), path).toEqual([]);
    }
  });

  it('a misspelled option in one would be noticed', () => {
    expect(faultsOf('filewright batch import samples/entities.csv --dry')).toHaveLength(1);
  });
});

describe('help', () => {
  const whole = helpText(program);

  it('groups all commands by trade, each in one group', () => {
    const titles = Object.values(TRADES);
    const at = titles.map((title) => whole.indexOf(`\n${title}\n`));
    expect(at.every((place) => place > 0)).toBe(true);
    for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
      const lines = whole
        .split('\n')
        .filter((line) => new RegExp(`^  ${name}(?: [[<][\\w.|]+[\\]>])* {2,}\\S`).test(line));
      expect(lines, name).toHaveLength(1);
    }
    expect(whole).not.toContain('\nCommands:');
  });

  it('of a trade lists what it does, with examples', () => {
    for (const trade of Object.keys(TRADES) as Trade[]) {
      const text = helpOf(trade);
      const own = Object.values(EXAMPLES).filter(([whose]) => whose === trade);
      expect(own.length).toBeGreaterThan(10);
      for (const [, example] of own) expect(unfolded(text)).toContain(`  filewright ${example}\n`);
    }
  });

  it('of each command ends with its example', () => {
    for (const [path, command] of commandPaths()) {
      expect(unfolded(helpText(command as typeof program)), path).toContain(
        `\nExample:\n  filewright ${EXAMPLES[path]?.[1] ?? 'none'}\n`,
      );
    }
  });

  it('is nowhere wider than 80 columns, but for what cannot be broken', () => {
    const texts = [
      whole,
      ...commandPaths().map(([, command]) => helpText(command as typeof program)),
    ];
    const wide = texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 80);
    expect(
      wide.filter(
        (line) =>
          !line
            .trim()
            .replace(/ \\$/, '')
            .match(/^(\S+|"[^"]*")$/),
      ),
    ).toEqual([]);
  });

  it('is what a command without its word shows, and by name', async () => {
    const named = await createProgram(['help', 'batch']);
    const batch = named.commands.find((command) => command.name() === 'batch');
    expect(batch?.commands.length).toBeGreaterThan(3);
    build();
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
    expect(run('help', 'batch', 'import').stdout).toContain('Example:');
    expect(run('help', 'accountant')).toMatchObject({
      status: 0,
      stdout: `${helpOf('accountant')}\n`,
    });
    expect(run('batch').stderr).toContain('import [options] <file>');
  });
});

describe('completion', () => {
  const script = (shell: string): string => {
    const ended = spawnSync(process.execPath, [MAIN, 'completion', shell], { encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    return ended.stdout;
  };
  let bash: string;
  beforeAll(() => {
    build();
    bash = script('bash');
  });

  /** What bash would offer for the last of the words. */
  function offered(...words: string[]): readonly string[] {
    const ask = `${bash}
COMP_WORDS=(filewright "$@")
COMP_CWORD=$#
_filewright
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ended = spawnSync('bash', ['-c', ask, 'bash', ...words], { encoding: 'utf8' });
    expect(ended.stderr).toBe('');
    return ended.stdout.split('\n').filter((line) => line !== '');
  }

  it.each([
    [['bat'], ['batch']],
    [['batch', 'im'], ['import']],
    [
      ['grants', 'exceptions', ''],
      ['list', 'show', 'resolve', 'reingest'],
    ],
    [['--tenant', 'batch', 'ent'], ['entity']],
    [['--key-file', 'paula.key', 'batch', 'import', 'x.csv', '--dry'], ['--dry-run']],
    [['batch', 'list', '--no'], ['--no-color']],
    // A value, and an argument: files, which are the shell's.
    [['batch', 'import', '--map-file', ''], []],
    [['batch', 'import', 'sam'], []],
    [['nonsense', ''], program.commands.map((command) => command.name())],
  ])('of %j offers %j', (words, expected) => {
    expect(offered(...words).toSorted()).toEqual(expected.toSorted());
  });

  it('knows every command and every option that help knows', () => {
    for (const [path, command] of commandPaths()) {
      const words = path.split(' ');
      expect(offered(...words)).toContain(words.at(-1));
      const flags = command.options.flatMap(({ long }) => (long === undefined ? [] : [long]));
      expect(bash).toContain(`'${path}') printf '%s' '${[...flags, '--help'].join(' ')}'`);
    }
  }, 60_000);

  it('of zsh is the same, by its own way to take it; another shell is refused', () => {
    const zsh = script('zsh');
    expect(zsh).toMatch(/^#compdef filewright\n/);
    expect(zsh).toContain('bashcompinit');
    expect(zsh).toContain(bash.slice(bash.indexOf('_filewright_commands()')));
    const other = spawnSync(process.execPath, [MAIN, 'completion', 'fish'], { encoding: 'utf8' });
    expect(other.status).toBe(2);
  });
});

function unfolded(text: string): string {
  return text.replaceAll(/ \\\n +/g, ' ');
}
