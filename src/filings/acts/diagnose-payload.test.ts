import { describe, expect, it } from 'vitest';
import { sampleProfile } from '../../testing/simulator/sample-profile.ts';
import { maskedDump, payloadFindings } from './diagnose-payload.ts';

const NAME = 'Zyxomma Quillfeather';
const profile = sampleProfile({
  limits: {
    fields: [{ at: '/name', required: true, charactersMax: 5 }],
    whitespace: 'trimmed',
    characters: 'ascii',
    duplicateWindowMs: 0,
  },
});

describe('the bytes of a payload', () => {
  it.each([
    ['CONTROL', { note: 'a\u0085b' }, 'U+0085 as character 2 of 3'],
    ['CONTROL', { deep: [{ x: '\u007f' }] }, 'U+007F as character 1 of 1'],
    ['WHITESPACE', { note: 'end\u00a0' }, 'U+00A0 at its end; the portal refuses it'],
    ['CHARACTER_SET', { note: 'Peña' }, 'U+00F1 as character 3'],
    ['TOO_LONG', { name: '\u{1F4DC}'.repeat(6) }, '6 characters, the portal accepts 5'],
    ['REQUIRED', { name: '' }, 'is empty, but required'],
  ] as const)('%s is found in %j', (code, payload, note) => {
    const findings = payloadFindings({ name: 'ok', ...payload }, profile);
    const found = findings.filter((finding) => finding.code === code);
    expect(found.map((finding) => finding.note).join('|')).toContain(note);
  });

  it('a dump shows the bytes a portal trips over and masks letters and digits', () => {
    const text = `${NAME} 4711\u0000 – ñ`;
    const dump = maskedDump(text, text.indexOf('\u0000')).join('\n');
    expect(dump).toMatch(/ 00 20 e2 80 93 20 c3 b1/);
    expect(dump).not.toMatch(/[Zy]yx|4711|34 37 31 31|71 75 69/i);
  });
});
