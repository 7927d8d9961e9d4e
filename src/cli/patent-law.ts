/** The patent law that a command shall use: what is shipped, with the files of a firm on top. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type NamedText, readLawDocument, readReliefFile } from '../calendar/index.ts';
import { FilewrightError } from '../core/index.ts';
import { type PatentLaw, readPatentRules } from '../dockets/index.ts';
import { lawIn, readText, type ShippedLaw, shippedLaw } from '../system/index.ts';

export interface LawOptions {
  readonly calendar?: readonly string[];
  readonly rules?: readonly string[];
  readonly relief?: readonly string[];
}

const PATENT_RULES = 'rules/patent.json';

export function patentLaw(options: LawOptions, law: ShippedLaw = shippedLaw()): PatentLaw {
  const calendars = (options.calendar ?? []).map(named);
  return {
    calendars: calendars.length === 0 ? law.calendars : law.calendarsWith(calendars),
    rules: (options.rules ?? [])
      .map(named)
      .reduce(
        (base, text) => readPatentRules(text, base),
        law.compiled(PATENT_RULES, readPatentRules),
      ),
    relief: (options.relief ?? []).flatMap((file) => {
      const { text } = named(file);
      return readReliefFile(text, file).overlays;
    }),
  };
}

/** A folder like law/, or one calendar, rule or relief file laid over what is shipped. */
export function patentLawAt(path: string): PatentLaw {
  if (isFolder(path)) {
    // A folder with calendars only is compared under the shipped rules.
    const law = lawIn(path);
    const rules = isFile(join(path, PATENT_RULES)) ? law : shippedLaw();
    return {
      calendars: law.calendars,
      rules: rules.compiled(PATENT_RULES, readPatentRules),
      relief: [],
    };
  }
  const { text } = named(path);
  const kind = readLawDocument({ file: basename(path), text, fault: 'RULE_FILE_INVALID' }).optional(
    'kind',
  )?.value;
  if (kind === 'calendar') return patentLaw({ calendar: [path] });
  if (kind === 'patent-rules') return patentLaw({ rules: [path] });
  if (kind === 'relief') return patentLaw({ relief: [path] });
  throw new FilewrightError(
    'RULE_FILE_INVALID',
    `${path}: expected a "kind" of calendar, patent-rules or relief`,
  );
}

function named(file: string): NamedText {
  return { file: basename(file), text: readText(file) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
