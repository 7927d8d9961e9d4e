/**
 * Two firms that differ in their hidden matters alone: the one has them, in the other they do not exist. Whoever may not
 * see them must not be able to tell the two apart.
 */
import { readFileSync } from 'node:fs';
import { createFilewright, type Filewright } from '../../src/app.ts';
import { textAt } from '../fixtures/cli.ts';
import { DeskLine, listAt, type Person } from './desk-line.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

export const FIRMS = ['main', 'bare'] as const;
export type Firm = (typeof FIRMS)[number];

export const EVENTS: readonly string[] = readFileSync('samples/patent-docket.ndjson', 'utf8')
  .trim()
  .split('\n');
/** Elena Ruiz has a right to the group BIO, and to nothing else. */
export const isRuizs = (line: string): boolean => line.includes('"BIO"');
/** Numbers and clients of the hidden matters. */
export const SECRETS = /Contoso|Fabrikam|300102|24100104|500105/;

export class TwinFirms {
  readonly desk: DeskLine;
  readonly #people = new Map<string, Person>();
  /** Ids of dockets that Ruiz may not see, in the firm that has them, and of those that she may. */
  hidden: readonly string[] = [];
  seen: readonly string[] = [];

  private constructor(desk: DeskLine) {
    this.desk = desk;
  }

  static async make(): Promise<TwinFirms> {
    const twins = new TwinFirms(await DeskLine.make());
    const { desk } = twins;
    for (const firm of FIRMS) {
      const hart = await desk.person('Judith Hart', undefined, firm);
      twins.#people.set(`hart ${firm}`, hart);
      twins.#people.set(`ruiz ${firm}`, await desk.person('Elena Ruiz', hart, firm));
      const files = ['matrix', 'people'].map((name) => desk.path(`samples/patent-${name}.json`));
      await desk.route([...files], hart);
    }
    // One after the other, since what came at the same moment is listed by ids, which differ between two firms.
    for (const line of EVENTS) await twins.bring(line);
    const everything = listAt(await desk.data(['docket', 'list'], twins.hart('main')), 'dockets');
    const idOf = (one: unknown): string => textAt(one, 'docket');
    twins.seen = everything.filter((one) => one['technologyGroup'] === 'BIO').map(idOf);
    twins.hidden = everything.filter((one) => one['technologyGroup'] !== 'BIO').map(idOf);
    return twins;
  }

  /** Sees everything. */
  hart(firm: Firm): Person {
    return this.#person('hart', firm);
  }

  ruiz(firm: Firm): Person {
    return this.#person('ruiz', firm);
  }

  #person(name: string, firm: Firm): Person {
    const person = this.#people.get(`${name} ${firm}`);
    if (person === undefined) throw new Error(`nobody is called ${name} in ${firm}`);
    return person;
  }

  /** An event to each firm that has its matter. */
  async bring(line: string, code = 0): Promise<void> {
    const file = await this.desk.file('event.ndjson', `${line}\n`);
    for (const firm of FIRMS) {
      if (firm === 'bare' && !isRuizs(line)) continue;
      await this.desk.data(['docket', 'import', file], this.hart(firm), code);
    }
  }

  async inside<Value>(firm: Firm, work: (app: Filewright) => Promise<Value>): Promise<Value> {
    const dataDirectory = this.desk.path('data');
    const app = await createFilewright({ dataDirectory, tenant: firm, environment: OWN_MACHINE });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }

  /** What Ruiz is told in each firm, without what differs by nature. */
  async bothSay(words: (firm: Firm) => readonly string[]): Promise<[string, string]> {
    const said: string[] = [];
    for (const firm of FIRMS) {
      const { code, stdout, stderr } = await this.desk.run(words(firm), this.ruiz(firm));
      said.push([code, comparable(stdout), comparable(stderr)].join('\n'));
    }
    return [said[0] ?? '', said[1] ?? ''];
  }
}

/** Ids and moments differ between two firms by nature; each id becomes its place in the text. */
export function comparable(text: string): string {
  const ids: string[] = [];
  return text
    .replaceAll(/fwo1-[0-9a-f]+|[0-9a-f]{40}@filewright|#[0-9a-f]{8}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `ID${ids.indexOf(id)}`;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'AT')
    .replaceAll(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d(?::\d\d)? [ap]\.m\. [\w+:-]+ */g, 'AT ')
    .replaceAll(/DTSTAMP:\w+/g, 'DTSTAMP')
    .replaceAll(
      /"(now|at|asOf|since|until|notBefore|\w+At|\w+By|elapsedMs|elapsed_ms)":\d+/g,
      '"$1":0',
    )
    .replaceAll(/\bmain\b|\bbare\b/g, 'FIRM')
    .replaceAll(/\b01[0-9a-f]{6}-[0-9a-f-]{27}\b/g, 'UUID');
}
