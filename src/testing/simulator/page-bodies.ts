import type { Echo, FormRule, Profile, RegistryRule } from '../../core/index.ts';
import type { Own } from '../../lanes/index.ts';
import { AnswerBodies, page } from './answer-bodies.ts';

/**
 * The answers of a portal with pages: each value stands where the profile's selector looks for it. Only simple
 * selectors can be played: `tag`, `.class`, `#id` and their combinations without a space.
 */
export class PageBodies extends AnswerBodies {
  private readonly profile: Profile;

  constructor(profile: Profile) {
    super(asPointers(profile));
    this.profile = profile;
  }

  override accepted(_key: string, receipt: string, own: Own): Buffer {
    const { receipt: rule, form } = this.profile;
    const echoes = this.echoed(rule.echoes, own);
    return page('Filed', at(form?.confirmation, at(rule.numberAt, receipt) + echoes));
  }

  override acceptedWithoutReceipt(): Buffer {
    return page('Filed', at(this.profile.form?.confirmation, 'Your filing was stored.'));
  }

  override received(_key: string, submissionId: string): Buffer {
    const { received, form } = this.profile;
    return page('Received', at(form?.confirmation, at(received.submissionIdAt, submissionId)));
  }

  override status(key: string, word: string): Buffer {
    return page('Status', this.standing(key, word));
  }

  override statusWithReceipt(key: string, word: string, receipt: string, own: Own): Buffer {
    const { receipt: rule, status } = this.profile;
    const echoes = this.echoed(status?.echoes, own);
    return page('Status', this.standing(key, word) + at(rule.numberAt, receipt) + echoes);
  }

  override inWrongCharset(body: Buffer): Buffer {
    // 0xE9 is no UTF-8 by itself, whichever charset the page was meant in.
    return Buffer.from(body.toString('utf8').replace('<body>', '<body>\u00E9'), 'latin1');
  }

  override registry(rule: RegistryRule, word: string, number: string): Buffer {
    const named = rule.entityAt === undefined ? '' : at(rule.entityAt, number);
    return page('Registry', at(rule.stateAt, word) + named);
  }

  override problem(code: string, message: string): Buffer {
    return page(code, `<p>${message}</p>`);
  }

  override rejection(code: string): Buffer {
    const refusal = this.profile.form?.refusal;
    return page('Not filed', at(refusal?.mark, at(refusal?.codeAt, code)));
  }

  override loginPage(): Buffer {
    return this.login();
  }

  login(note = ''): Buffer {
    const login = this.profile.session?.login;
    const fields = (login?.fields ?? []).map(({ name }) => `<input name="${name}" required>`);
    const open = openTag(login?.selector ?? 'form', {
      method: 'post',
      action:
        login?.submitPath === undefined
          ? tail(login?.path ?? '/login')
          : relative(login.path, login.submitPath),
    });
    return page('Sign in', `${note}${open}${fields.join('')}<button>Sign in</button></form>`);
  }

  /** The form itself; `extra` is a field that the profile does not know. */
  form(rule: FormRule, csrf: string, extra: boolean): Buffer {
    const limits = new Map(
      (this.profile.limits?.fields ?? []).map((field) => [field.at, field] as const),
    );
    const inputs = rule.fields.map((field) => {
      const limit = 'at' in field ? limits.get(field.at) : undefined;
      const max = limit?.charactersMax;
      return `<label>${field.name} <input name="${field.name}"${limit?.required === true ? ' required' : ''}${max === undefined ? '' : ` maxlength="${max}"`}></label>`;
    });
    if (rule.keyField !== undefined) inputs.push(`<input name="${rule.keyField}">`);
    if (extra) inputs.push('<input name="new_field" required>');
    const open = openTag(rule.selector, {
      method: 'post',
      action: relative(rule.path, this.profile.submit.path),
    });
    const hidden = `<input type="hidden" name="csrf_token" value="${csrf}">`;
    return page('File', `${open}${hidden}${inputs.join('')}<button>File</button></form>`);
  }

  private echoed(echoes: readonly Echo[] | undefined, own: Own): string {
    return (echoes ?? []).map((echo) => at(echo.at, own(echo.of) ?? '')).join('');
  }

  private standing(key: string, word: string): string {
    const { status } = this.profile;
    return at(status?.stateAt, word) + (status?.keyAt === undefined ? '' : at(status.keyAt, key));
  }
}

/** The JSON bodies of the parent are not used; their pointers only have to be pointers. */
function asPointers(profile: Profile): Profile {
  return {
    ...profile,
    receipt: { ...profile.receipt, numberAt: '/receipt', echoes: [] },
    received: { ...profile.received, submissionIdAt: '/submission' },
    ...(profile.status === undefined
      ? {}
      : { status: { ...profile.status, stateAt: '/state', keyAt: '/key', echoes: [] } }),
  };
}

/** From one page of the portal to another, whatever stands before both. */
export function relative(from: string, to: string): string {
  const ups = from.split('/').length - 2;
  return `${'../'.repeat(ups)}${to.slice(1)}`;
}

function tail(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** An element that a simple selector finds. */
function at(selector: string | undefined, content: string): string {
  const tag = /^[a-z][a-z0-9]*/i.exec(selector ?? '')?.[0] ?? 'div';
  const text = content.startsWith('<') ? content : escape(content);
  return `${openTag(selector ?? tag, {})}${text}</${tag}>`;
}

function openTag(selector: string, attributes: Readonly<Record<string, string>>): string {
  const tag = /^[a-z][a-z0-9]*/i.exec(selector)?.[0] ?? 'div';
  const id = /#([\w-]+)/.exec(selector)?.[1];
  const classes = [...selector.matchAll(/\.([\w-]+)/g)].map(([, name]) => name);
  const all = {
    ...(id === undefined ? {} : { id }),
    ...(classes.length === 0 ? {} : { class: classes.join(' ') }),
    ...attributes,
  };
  const text = Object.entries(all).map(([name, value]) => ` ${name}="${escape(value)}"`);
  return `<${tag}${text.join('')}>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
