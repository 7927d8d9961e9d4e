/** Elements of XML and SGML feeds: the small trees that are interpreted one at a time, and how they are collected. */
import type { FeedPlace } from './feed-events.ts';
import { ELEMENT_CHARS_MAX, ELEMENT_NODES_MAX } from './limits.ts';
import { refuse } from './refusal.ts';

export interface MarkupElement {
  readonly name: string;
  readonly place: FeedPlace;
  /** `Ccy` of an amount; no other attribute of these formats carries meaning. */
  readonly currency: string | undefined;
  text: string;
  readonly children: MarkupElement[];
}

export interface OpenTag {
  readonly name: string;
  readonly currency: string | undefined;
  readonly place: FeedPlace;
}

/** What a parser tells: tags and text in order. */
export interface MarkupSink {
  open(tag: OpenTag): void;
  text(text: string): void;
  close(name: string, place: FeedPlace): void;
}

/** Builds one element with everything inside it, within bounds. */
export class ElementCollector {
  private readonly stack: MarkupElement[] = [];
  private chars = 0;
  private nodes = 0;

  get isCollecting(): boolean {
    return this.stack.length > 0;
  }

  /** Names of the open elements, outermost first. */
  get path(): readonly string[] {
    return this.stack.map((element) => element.name);
  }

  get outermost(): MarkupElement | undefined {
    return this.stack[0];
  }

  open(tag: OpenTag): void {
    this.nodes += 1;
    this.bound(tag.place);
    // Spelled out: this runs once per element, and a spread took most of the time of a whole feed.
    this.stack.push({
      name: tag.name,
      place: tag.place,
      currency: tag.currency,
      text: '',
      children: [],
    });
  }

  text(text: string): void {
    const top = this.stack.at(-1);
    // Space between tags is layout, and would be most of what is kept.
    if (top === undefined || (top.text === '' && isBlank(text))) return;
    this.chars += text.length;
    this.bound(top.place);
    top.text += text;
  }

  /** Ends the innermost element and hangs it into its parent, unless `keep` takes it out; gives the outermost one. */
  close(keep: (element: MarkupElement) => boolean = () => true): MarkupElement | undefined {
    const element = this.stack.pop();
    const parent = this.stack.at(-1);
    if (element === undefined) return undefined;
    if (parent === undefined) {
      this.chars = 0;
      this.nodes = 0;
      return element;
    }
    if (keep(element)) parent.children.push(element);
    else this.release(element);
    return undefined;
  }

  /**
   * SGML: an element that nothing closes was an empty field, and what seemed to be inside it stands beside it.
   */
  dissolve(): void {
    const element = this.stack.pop();
    const parent = this.stack.at(-1);
    if (element === undefined || parent === undefined) return;
    const { children } = element;
    parent.children.push({ ...element, children: [] }, ...children);
  }

  private release(element: MarkupElement): void {
    this.nodes -= 1;
    this.chars -= element.text.length;
    for (const child of element.children) this.release(child);
  }

  private bound(place: FeedPlace): void {
    if (this.nodes <= ELEMENT_NODES_MAX && this.chars <= ELEMENT_CHARS_MAX) return;
    refuse(place, {
      code: 'INPUT_LIMIT',
      reason: `expected an entry of at most ${ELEMENT_NODES_MAX} elements and ${ELEMENT_CHARS_MAX} characters, but it is longer`,
    });
  }
}

/** Whether a text is only layout. Without making a trimmed copy: half of all texts between tags are blank. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}

/** The first element at a path below this one. */
export function find(
  element: MarkupElement | undefined,
  ...path: readonly string[]
): MarkupElement | undefined {
  let at = element;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at;
}

/** Trimmed text at a path; undefined when there is none. */
export function textAt(
  element: MarkupElement | undefined,
  ...path: readonly string[]
): string | undefined {
  const text = find(element, ...path)?.text.trim();
  return text === '' ? undefined : text;
}

/** Every element at a path, in order. */
export function findAll(element: MarkupElement, ...path: readonly string[]): MarkupElement[] {
  let level: MarkupElement[] = [element];
  for (const name of path) {
    level = level.flatMap((each) => each.children.filter((child) => child.name === name));
  }
  return level;
}

/** The element at a path, which must be there, and once. */
export function need(element: MarkupElement, ...path: readonly string[]): MarkupElement {
  const [found, second] = findAll(element, ...path);
  if (second !== undefined) {
    // Whichever were taken, the other could be the right one.
    refuse(second.place, {
      reason: `expected one ${path.join('/')} in ${element.name}, but found a second`,
    });
  }
  if (found !== undefined) return found;
  return refuse(element.place, {
    reason: `expected ${path.join('/')} in ${element.name}, but there is none`,
  });
}

/** The text at a path, which must be there and not be empty. */
export function needText(element: MarkupElement, ...path: readonly string[]): string {
  const found = need(element, ...path);
  const text = found.text.trim();
  if (text !== '') return text;
  return refuse(found.place, {
    reason: `expected text in ${path.join('/') || found.name}, but it is empty`,
  });
}
