/** law/rules/grants/form990-elements.json as values. */
import { type NamedText, readLawDocument } from '../../calendar/index.ts';
import { type Fact, factOf, HEAD_KEYS, headOf, type LawHead } from './facts.ts';

const FORMS = ['IRS990', 'IRS990EZ', 'IRS990ScheduleB', 'IRS990ScheduleI'] as const;
type ReturnForm = (typeof FORMS)[number];

interface ReturnElement {
  readonly form: ReturnForm;
  readonly element: string;
  readonly xpath: string;
  readonly line: string;
  /** `USAmountNNType` is never negative. */
  readonly type: string;
}

export interface ReturnElements extends LawHead, Fact {
  readonly schemaVersion: string;
  readonly all: readonly ReturnElement[];
  find(form: ReturnForm, element: string): ReturnElement | undefined;
}

export function readReturnElements({ file, text }: NamedText): ReturnElements {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [...HEAD_KEYS, 'namespace', 'schemaVersion', 'source', 'confidence', 'elements'],
    ['notes'],
  );
  root.field('namespace').text();
  const known = new Map<string, ReturnElement>();
  for (const item of root.field('elements').items()) {
    item.object(['form', 'element', 'xpath', 'line', 'type']);
    const element: ReturnElement = {
      form: item.field('form').oneOf(FORMS),
      element: item.field('element').text(),
      xpath: item.field('xpath').text(),
      line: item.field('line').text(),
      type: item.field('type').text(),
    };
    const key = `${element.form} ${element.element}`;
    if (known.has(key)) item.field('element').refuse('this element is already listed above');
    known.set(key, element);
  }
  return {
    ...headOf(root),
    ...factOf(root),
    schemaVersion: root.field('schemaVersion').text(),
    all: [...known.values()],
    find: (form, element) => known.get(`${form} ${element}`),
  };
}
