import { describe, expect, it } from 'vitest';
import { programWords, shellWord } from './next-command.ts';

describe('what to type next', () => {
  it.each([
    ['npm start in a clone', 'start', '/clone/dist/cli/main.js', 'npm run -s filewright --'],
    ['npm run filewright', 'run', '/clone/dist/cli/main.js', 'npm run -s filewright --'],
    ['node itself', undefined, '/clone/dist/cli/main.js', 'npm run -s filewright --'],
    ['npx', 'exec', '/project/node_modules/.bin/filewright', 'npx filewright'],
    ['a package installed for all', undefined, '/usr/bin/filewright', 'filewright'],
  ])('names the program as %s calls it', (_how, npmCommand, program, words) => {
    expect(programWords({ npmCommand, program })).toBe(words);
  });

  it.each([
    ['.filewright/demo/paula.key', '.filewright/demo/paula.key'],
    ['/tmp/my data', "'/tmp/my data'"],
    ["/tmp/o'hara", "'/tmp/o'\\''hara'"],
  ])('quotes %s for a shell', (text, quoted) => {
    expect(shellWord(text)).toBe(quoted);
  });
});
