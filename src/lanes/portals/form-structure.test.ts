import { describe, expect, it } from 'vitest';
import { fillForm } from './form-filling.ts';
import { fingerprintOf, formAt, formOn, type FormStructure } from './form-structure.ts';
import { parsePage } from '../profile/page-parser.ts';

const URL_OF_PAGE = 'https://portal.invalid/base/form';
const FORM = `<form id="f" method="post" action="submit">
  <input type="hidden" name="csrf" value="abc">
  <input name="number" required maxlength="10">
  <textarea name="note"></textarea>
  <select name="kind"><option value="a">A</option><option value="b">B</option></select>
  <input type="radio" name="rail" value="card" checked><input type="radio" name="rail" value="ach">
  <button name="go" value="1">Go</button><input type="submit" name="send" value="Send">
</form>`;

function read(html: string): FormStructure {
  const found = formOn(parsePage(html), '#f');
  const form = found && formAt(found, URL_OF_PAGE);
  if (form === undefined) throw new Error('no form');
  return form;
}

const print = (html: string): string => fingerprintOf(read(html), '/base');

describe('a form’s fingerprint', () => {
  const changes: readonly (readonly [string, string, string])[] = [
    ['the action', 'action="submit"', 'action="send"'],
    ['the method', 'method="post"', 'method="get"'],
    ['the name of a field', 'name="number"', 'name="entity"'],
    ['the type of a field', '<input name="number"', '<input type="email" name="number"'],
    ['whether it is required', 'required maxlength', 'maxlength'],
    ['its longest text', 'maxlength="10"', 'maxlength="11"'],
    ['a choice of a list', 'value="b"', 'value="c"'],
    ['a choice of buttons', 'value="ach"', 'value="wire"'],
    ['one more field', '<textarea', '<input name="fax"><textarea'],
  ];
  it.each(changes)('changes with %s', (_name, from, to) => {
    expect(FORM).toContain(from);
    expect(print(FORM.replace(from, to))).not.toBe(print(FORM));
  });

  const looks: readonly (readonly [string, string, string])[] = [
    ['the CSRF token', 'value="abc"', 'value="xyz"'],
    ['a session id in the action', 'action="submit"', 'action="submit;jsessionid=1?x=2"'],
    ['an absolute action to the same place', 'action="submit"', 'action="/base/submit"'],
    ['wording', '>A<', '>An annual report<'],
    ['a class', 'id="f"', 'id="f" class="new"'],
    [
      'a wrapper',
      '<textarea name="note"></textarea>',
      '<div><textarea name="note"></textarea></div>',
    ],
  ];
  it.each(looks)('does not change with %s', (_name, from, to) => {
    expect(FORM).toContain(from);
    expect(print(FORM.replace(from, to))).toBe(print(FORM));
  });

  it('does not change with the order of the fields', () => {
    const moved = FORM.replace('<textarea name="note"></textarea>', '').replace(
      '<input type="hidden"',
      '<textarea name="note"></textarea><input type="hidden"',
    );
    expect(print(moved)).toBe(print(FORM));
  });

  it('two forms at the selector are none', () => {
    const twice = parsePage(`${FORM}${FORM}`);
    expect(formOn(twice, 'form')).toBeUndefined();
  });

  it('an action on another host keeps its host, so that it can be refused', () => {
    const away = read(FORM.replace('action="submit"', 'action="https://evil.invalid/base/submit"'));
    expect(away.action).toBe('https://evil.invalid/base/submit');
  });
});

describe('filling in', () => {
  const rule = {
    path: '/form',
    selector: '#f',
    confirmation: '#ok',
    keyField: 'note',
    fields: [
      { name: 'number', at: '/number' },
      { name: 'kind', at: '/kind' },
      { name: 'rail', text: 'ach' },
    ],
  };
  const fill = (payload: object, changes: object = {}) =>
    fillForm(
      read(FORM),
      { ...rule, ...changes },
      { payload: Buffer.from(JSON.stringify(payload)), key: 'k-1' },
    );

  it('brings hidden fields back, and the payload in UTF-8 exactly', () => {
    const filled = fill({ number: 'ñ &=+', kind: 'b' });
    if (filled.kind !== 'filled') throw new Error(filled.reason);
    const text = Buffer.from(filled.body).toString('latin1');
    expect(text).toBe('csrf=abc&number=%C3%B1+%26%3D%2B&note=k-1&kind=b&rail=ach');
  });

  it.each([
    [{ kind: 'b' }, {}, 'payload'],
    [{ number: '', kind: 'b' }, {}, 'payload'],
    [{ number: '12345678901', kind: 'b' }, {}, 'payload'],
    [{ number: '1', kind: 'z' }, {}, 'payload'],
    [{ number: '1', kind: 'b' }, { keyField: 'gone' }, 'form'],
    [{ kind: 'b' }, { fields: [{ name: 'kind', at: '/kind' }] }, 'form'],
  ])('%j with %j is a fault of the %s', (payload, changes, kind) => {
    expect(fill(payload, changes).kind).toBe(kind);
  });
});
