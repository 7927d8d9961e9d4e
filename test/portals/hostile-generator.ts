/** Pages and bodies of a portal that means harm, from a seed: nested, huge, cut, encoded, escaped. */
import { Dice } from '../../src/testing/simulator/dice.ts';
import type { Answer } from '../../src/core/exchange.ts';
import { DONE, FORM, html, LOGIN } from './own-pages.ts';

const TAGS = (
  'span div b i a font p table tr td li ul option select form svg math template button nobr ruby rt h1 object ' +
  'frameset noscript style script title textarea x-y'
).split(' ');
const SCRAPS = [
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '</',
  '<a href="',
  '&#x110000;',
  '&#0;',
  '&amp',
  '\0',
  '\u202e',
  '\x1b[2J',
  '"',
  "'",
  '=',
  '<b id=receipt>',
  '<div id=errors>',
  '</html>',
  '<base href="javascript:">',
];
const TYPES = [
  'text/html; charset=utf-8',
  'text/html',
  'text/html; charset=utf-16le',
  'text/html; charset=no-such',
  'TEXT/HTML;charset="iso-2022-jp"',
  'application/xhtml+xml',
  `text/html;${' '.repeat(5_000)}x`,
  'application/json',
  '',
];

export class HostilePortal {
  private readonly dice = new Dice();
  private readonly seed: number;
  private made = 0;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Never one that confirms the filing: whatever is accepted was misread. */
  next(): Answer {
    this.made += 1;
    this.dice.reseed(this.seed, 'hostile', this.made);
    const text = this.pick<() => string>([
      () => this.nested(),
      () => this.mixed(),
      () => this.soup(),
      () => this.attributes(),
      () => this.fields(),
      () => this.cut(),
      () => this.json(),
      () => this.json(),
    ])();
    return this.answer(this.encoded(text));
  }

  private answer(body: Uint8Array): Answer {
    return {
      kind: 'answer',
      status: this.pick([200, 200, 200, 200, 201, 202, 303, 404, 422, 503]),
      headers: { 'content-type': this.pick(TYPES), 'x-odd': '\u009b\u202e' },
      body,
      bodyEnd: this.chance(0.05) ? 'cut' : 'whole',
      bodySha256: '0'.repeat(64),
      elapsedMs: 1,
    };
  }

  private nested(): string {
    const tag = this.pick(TAGS);
    const depth = this.size(20_000);
    const close = this.chance(0.5) ? `</${tag}>`.repeat(depth) : '';
    return html(`<${tag}>`.repeat(depth) + this.pick(SCRAPS) + close);
  }

  private mixed(): string {
    let text = '';
    for (let left = this.size(5_000); left > 0; left -= 1) {
      text += `<${this.chance(0.3) ? '/' : ''}${this.pick(TAGS)}${this.chance(0.1) ? ' id=receipt' : ''}>`;
    }
    return this.chance(0.5) ? html(text) : text;
  }

  private soup(): string {
    const one = this.pick(SCRAPS);
    const other = this.pick(SCRAPS);
    // Now and then as large as a page may be, and larger.
    const most = this.chance(0.01) ? 300_000 : 5_000;
    return html(`${one}${other}`.repeat(this.size(most)));
  }

  private attributes(): string {
    const count = this.size(this.chance(0.01) ? 100_000 : 3_000);
    const names = Array.from({ length: count }, (_, n) => `a${n.toString(36)}`);
    return html(`<form id="statement" ${names.join(this.pick([' ', '=1 ', '="<b>" ']))}>`);
  }

  private fields(): string {
    const field = this.pick([
      '<input name="dos_id">',
      '<select name="s"><option>x',
      '<tr><td><input name=a form=statement>',
      '<textarea name=t>',
      '<button name=b>',
      LOGIN,
    ]);
    return html(
      `<table><form id="statement" action="${this.pick(['', '/x', 'http://['])}">${field.repeat(this.size(3_000))}`,
    );
  }

  private cut(): string {
    const page = html(this.pick([FORM, LOGIN, DONE]));
    return page.slice(0, 15 + Math.floor(this.dice.next() * (page.length - 30)));
  }

  private json(): string {
    const n = this.size(this.chance(0.01) ? 4_000_000 : 20_000);
    return this.pick<() => string>([
      () => '['.repeat(n),
      () => '['.repeat(n) + ']'.repeat(n),
      () => '{"a":'.repeat(n),
      () => `{"receipt":${'{"number":'.repeat(n)}1${'}'.repeat(n)}}`,
      () => `{"receipt":"${'\\u0000'.repeat(n)}"}`,
      () => `{"__proto__":{"receipt":"x"},"state":"\u202e${'x'.repeat(n)}"}`,
      () => `{"errors":[${'{"code":"\ud800"},'.repeat(Math.min(n, 5_000))}1]}`,
      () => `${'9'.repeat(n)}e999`,
      () => `"${'\\"'.repeat(n)}`,
      () => `[${'1,'.repeat(n)}1]`,
    ])();
  }

  private encoded(text: string): Uint8Array {
    const bytes = Buffer.from(text, this.pick(['utf8', 'utf8', 'utf8', 'latin1', 'utf16le']));
    if (this.chance(0.1)) bytes[Math.floor(this.dice.next() * bytes.length)] = 0xff;
    return this.chance(0.05) ? Buffer.concat([Buffer.from([0xff, 0xfe]), bytes]) : bytes;
  }

  /** Mostly small: each tenfold is as likely as the one before. */
  private size(most: number): number {
    return Math.max(1, Math.floor(most ** this.dice.next()));
  }

  private chance(share: number): boolean {
    return this.dice.next() < share;
  }

  private pick<T>(from: readonly T[]): T {
    // The index is below the length.
    return from[Math.floor(this.dice.next() * from.length)] as T;
  }
}
