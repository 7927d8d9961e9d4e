import type { Echo, Profile, RegistryRule } from '../../core/index.ts';
import type { Own } from '../../lanes/index.ts';

/** Writes the answers of one portal in the places where its profile says a client will look. */
export class AnswerBodies {
  private readonly acceptedParts: Template;
  private readonly acceptedBareParts: Template;
  private readonly receivedParts: Template;
  private readonly statusParts: Template;
  private readonly statusReceiptParts: Template;
  private readonly captchaMark: string;
  private readonly echoes: readonly Echo[];
  private readonly statusEchoes: readonly Echo[];
  private readonly isNamed: boolean;

  constructor(profile: Profile) {
    const number = profile.receipt.numberAt;
    const submission = profile.received.submissionIdAt;
    const state = profile.status?.stateAt ?? '/state';
    // A portal that cannot name the key in its answers has nothing at this place.
    const key = profile.status?.keyAt;
    const named = key === undefined ? [] : [key];
    this.acceptedParts = template([number, ...named, ...placesOf(profile.receipt.echoes)]);
    this.echoes = profile.receipt.echoes ?? [];
    this.statusEchoes = profile.status?.echoes ?? [];
    this.isNamed = key !== undefined;
    this.acceptedBareParts = template(['/message', ...named]);
    this.receivedParts = template([submission, ...named]);
    this.statusParts = template([state, ...named]);
    const echoed = placesOf(profile.status?.echoes);
    this.statusReceiptParts = template([number, state, ...named, ...echoed]);
    this.captchaMark = profile.captcha.marks[0] ?? 'captcha';
  }

  accepted(key: string, receipt: string, own: Own): Buffer {
    const named = this.isNamed ? [key] : [];
    return fill(this.acceptedParts, [receipt, ...named, ...textsOf(this.echoes, own)]);
  }

  acceptedWithoutReceipt(key: string): Buffer {
    return fill(this.acceptedBareParts, ['Your filing was stored.', key]);
  }

  received(key: string, submissionId: string): Buffer {
    return fill(this.receivedParts, [submissionId, key]);
  }

  status(key: string, word: string): Buffer {
    return fill(this.statusParts, [word, key]);
  }

  statusWithReceipt(key: string, word: string, receipt: string, own: Own): Buffer {
    const named = this.isNamed ? [key] : [];
    const texts = [receipt, word, ...named, ...textsOf(this.statusEchoes, own)];
    return fill(this.statusReceiptParts, texts);
  }

  /** `charset`: the bytes are not what the header promises, though the receipt in them is sound. */
  inWrongCharset(body: Buffer, charset: 'utf8' | 'latin1'): Buffer {
    const json = body.toString('utf8');
    const noted = `{"note":"d\u00E9p\u00F4t re\u00E7u",${json.slice(1)}`;
    if (charset === 'latin1') return Buffer.from(noted, 'latin1');
    // 0xC3 opens a sequence of two bytes; the letter after it cannot be its second.
    const bytes = Buffer.from(noted.replace('\u00E9', '?'), 'utf8');
    bytes[bytes.indexOf('?')] = 0xc3;
    return bytes;
  }

  registry(rule: RegistryRule, word: string, number: string): Buffer {
    const named = rule.entityAt === undefined ? [] : [rule.entityAt];
    return fill(template([rule.stateAt, ...named]), [word, number]);
  }

  problem(code: string, message: string): Buffer {
    return Buffer.from(JSON.stringify({ code, message }), 'utf8');
  }

  rejection(code: string, field = '/registeredAgent'): Buffer {
    const errors = [{ code, field, message: 'This field is not valid.' }];
    return Buffer.from(JSON.stringify({ code, errors }), 'utf8');
  }

  loginPage(): Buffer {
    return page('Sign in', '<form method="post" action="/login"><input name="user"></form>');
  }

  captchaPage(): Buffer {
    return page('One more step', `<div class="${this.captchaMark}">${this.captchaMark}</div>`);
  }

  errorPage(status: number): Buffer {
    return page(`Error ${status}`, '<p>Something went wrong.</p>');
  }

  closedPage(): Buffer {
    return page('Closed', '<p>The filing service is closed at this hour.</p>');
  }
}

export function placesOf(echoes: readonly Echo[] | undefined): readonly string[] {
  return (echoes ?? []).map(({ at }) => at);
}

/** What each echo says of a filing; empty where the filing has nothing to be echoed. */
export function textsOf(echoes: readonly Echo[], own: Own): readonly string[] {
  return echoes.map(({ of }) => own(of) ?? '');
}

export function page(title: string, content: string): Buffer {
  return Buffer.from(
    `<!doctype html><html><head><title>${title}</title></head><body>${content}</body></html>`,
    'utf8',
  );
}

/** The text around each value, and which value stands there: a body is put together without building an object. */
interface Template {
  readonly texts: readonly string[];
  readonly slots: readonly number[];
}

// No profile has such a name in a pointer.
const SLOT = /"%slot(\d+)%"/;

function template(pointers: readonly string[]): Template {
  let root: unknown = {};
  for (const [index, pointer] of pointers.entries()) {
    root = placed(root, pointer.split('/').slice(1), `%slot${index}%`);
  }
  const pieces = JSON.stringify(root).split(SLOT);
  return {
    texts: pieces.filter((_, index) => index % 2 === 0),
    slots: pieces.filter((_, index) => index % 2 === 1).map(Number),
  };
}

/** The value with a text put at a JSON pointer; every level becomes an object, which resolves a pointer like an array. */
function placed(value: unknown, path: readonly string[], text: string): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  // Only values made here come in; anything but an object is a text that a longer pointer replaces.
  const members = typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
  return { ...members, [name]: placed(members[name] ?? {}, rest, text) };
}

function fill(parts: Template, values: readonly string[]): Buffer {
  let text = parts.texts[0] ?? '';
  for (let index = 0; index < parts.slots.length; index++) {
    text += JSON.stringify(values[parts.slots[index] ?? 0] ?? '') + (parts.texts[index + 1] ?? '');
  }
  return Buffer.from(text, 'utf8');
}
