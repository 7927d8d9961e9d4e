/** The adversary is a name: what steers a terminal, turns the writing or hides is shown nowhere, byte by byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { escapeText } from '../src/calendar/ics-text.ts';
import { createOutput, reportError, table } from '../src/cli/output.ts';
import { FilewrightError } from '../src/core/errors.ts';
import { plain, plainJson, plainLines } from '../src/core/plain.ts';
import { instant } from '../src/core/time.ts';
import { sendMail } from '../src/people/notify/mail.ts';
import { openPage } from '../src/server/pages.ts';
import { jsonLog } from '../src/system/log.ts';
import { ANY_PRIVATE } from '../src/wire/private-networks.ts';
import { ROOT } from './fixtures/built-tree.ts';
import { header, startMailServer, TLS } from './notify/mail-server.ts';

/** Each means harm by itself; none has anything to do in a name. */
const HOSTILE: Readonly<Record<string, string>> = {
  'clear the screen': '\x1b[2J',
  'title of the window': '\x1b]0;owned\x07',
  'a link of a terminal': '\x1b]8;;http://evil.invalid\x1b\\x',
  'C1 control sequence': '\u009b31m',
  'C1 string': '\u0090q\u009c',
  bell: '\x07',
  backspace: '\b\b\b',
  delete: '\x7f',
  NUL: '\0',
  'carriage return alone': 'paid\rowed',
  'right to left': '\u202egnp.exe',
  isolate: '\u2066x\u2069',
  mark: '\u200f\u061c',
  'zero width space': 'Al\u200bder',
  joiner: 'Al\u200dder',
  'soft hyphen': 'Al\u00adder',
  filler: 'Al\u3164der',
  tag: 'Al\u{e0041}der',
  'variation selector': 'Al\ufe0fder',
  'byte order mark': '\ufeffAlder',
  'line separator': 'a\u2028b\u2029c',
  'half a pair': '\ud800',
  'next line': 'a\u0085b',
};
const NAME = `Alder ${Object.values(HOSTILE).join(' ')} End`;

/** Tabs and line ends as LF or CR LF are layout; all else of this kind must be gone. */
const FORBIDDEN =
  /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

afterEach(() => {
  vi.restoreAllMocks();
});

function caught(act: () => void): string {
  let text = '';
  const take = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  act();
  vi.restoreAllMocks();
  return text;
}

function logged(): string {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  jsonLog(stream).write({ level: 'info', event: 'x', entity_id: NAME });
  return text;
}

function quotedPrintable(text: string): Buffer {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_code, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1');
}

/** Beside output.ts, who writes to a terminal, and why that is no text from outside. */
const WRITERS: Readonly<Record<string, string>> = {
  'answer-lines.ts': 'in pieces, each made plain',
  'commands/docket.ts': 'a payload to a file or pipe, byte by byte; to a terminal made plain',
  'commands/ics.ts': 'a calendar, made plain',
  'output.ts': 'here all else is made plain',
};

it('the command line writes to the terminal through one place', () => {
  const folder = join(ROOT, 'src/cli');
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /(?<!\.test)\.ts$/.test(file) &&
      /std(?:out|err)\s*\.write|console\.(?!table)\w+\(/.test(
        readFileSync(join(folder, file), 'utf8'),
      ),
  );
  expect(writers.toSorted()).toEqual(Object.keys(WRITERS));
});

describe('a hostile name', () => {
  it.each(Object.entries(HOSTILE))('with %s is shown as what can be seen', (_what, text) => {
    expect(FORBIDDEN.test(text)).toBe(true);
    for (const one of [plain(text), plainLines(text)]) {
      expect(FORBIDDEN.test(one)).toBe(false);
      expect(one).toMatch(/[\ufffd ]/);
    }
    // Lone halves are no JSON text by themselves; JSON.stringify escapes them before.
    const json = plainJson(JSON.stringify(text));
    expect(FORBIDDEN.test(json)).toBe(false);
    expect(JSON.parse(json)).toBe(text);
  });

  it('stays on its line in a table, and breaks stay where lines are meant', () => {
    expect(plain('a\nb\tc')).toBe('a b c');
    expect(plainLines('a\r\nb\n\tc\rd')).toBe('a\r\nb\n\tc\ufffdd');
    expect(table(['name'], [['x\ny']]).split('\n')).toHaveLength(2);
  });

  it('that is honest is left as it is', () => {
    for (const name of [
      'Ærø & Søn “A/S”',
      '山田株式会社',
      'Ὀδυσσεύς',
      'Nguyễn',
      'a\u00a0b',
      '😀',
    ]) {
      expect(plain(name)).toBe(name);
      expect(plainJson(JSON.stringify(name))).toBe(JSON.stringify(name));
    }
  });

  const outputs: readonly (readonly [string, () => string])[] = [
    ['a table', () => table(['name', NAME], [[NAME, 1]])],
    ['a result', () => caught(() => createOutput(false).result('x', {}, () => NAME))],
    ['a result as JSON', () => caught(() => createOutput(true).result('x', { NAME }, () => ''))],
    ['what is said', () => caught(() => createOutput(false).say(NAME))],
    ['an error', () => caught(() => reportError(new FilewrightError('USAGE', NAME), false))],
    ['an error as JSON', () => caught(() => reportError(new FilewrightError('USAGE', NAME), true))],
    ['an unforeseen error', () => caught(() => reportError(new TypeError(NAME), false))],
    ['a log', logged],
    ['a calendar', () => escapeText(NAME)],
    ['the acknowledgement page', () => openPage({ title: NAME, lines: [NAME], reader: NAME })],
  ];
  it('has no such byte in a message by mail', async () => {
    const server = await startMailServer();
    try {
      const message = {
        messageId: '<n-1@filewright.local>',
        from: 'filings@example.org',
        to: 'agent@example.org',
        subject: NAME,
        text: `${NAME}\nend\n`,
        date: instant(0),
      };
      const at = { url: `smtp://localhost:${server.port}`, allowPrivateAddresses: ANY_PRIVATE };
      await sendMail(message, at, { certificateAuthorities: [TLS.cert] });
      const raw = server.taken[0]?.raw ?? '';
      const subject = header(raw, 'subject') ?? '';
      const words = [...subject.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)].map(
        ([, how, word = '']) =>
          how?.toUpperCase() === 'B'
            ? Buffer.from(word, 'base64')
            : quotedPrintable(word.replaceAll('_', ' ')),
      );
      const shown = Buffer.concat(words).toString('utf8');
      expect(shown).toContain('Alder');
      expect(FORBIDDEN.exec(shown)?.[0]).toBeUndefined();
      const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
      const isBase64 = header(raw, 'content-transfer-encoding') === 'base64';
      const text = (isBase64 ? Buffer.from(body, 'base64') : quotedPrintable(body)).toString(
        'utf8',
      );
      expect(text).toContain('Alder');
      expect(FORBIDDEN.exec(text)?.[0]).toBeUndefined();
    } finally {
      await server.close();
    }
  });

  it.each(outputs)('has no such byte in %s', (_where, make) => {
    const text = make();
    expect(text).toContain('Alder');
    expect(FORBIDDEN.exec(text)?.[0]).toBeUndefined();
  });
});
