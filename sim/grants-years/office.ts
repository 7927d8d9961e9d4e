/**
 * The office of a year, and the person in it who knows the truth: takes in what comes, answers what it is asked, closes each
 * month, and writes the figures down. Whatever it is asked counts as a question, also what it has answered before.
 */
import { createHash } from 'node:crypto';
import { FilewrightError } from '../../src/core/errors.ts';
import type { Organization, Pipeline } from '../../src/grants/pipeline/contracts.ts';
import type { Stand } from '../grants/stand.ts';
import { type Month, MONTHS, YEAR } from './days.ts';
import { deliveriesOf, type Delivery } from './deliveries.ts';
import type { Entry, HiddenYear, Promised } from './hidden-year.ts';

const ACTOR = { kind: 'system', id: 'simulation' } as const;
/** No state is watched here: thresholds have a simulation of their own. */
const ORGANIZATION: Organization = { states: [], fiscalYearEnd: '12-31' };
/** An answer may bring up a question that it hid; more than that is a product that asks in circles. */
const ROUNDS_MAX = 4;

export interface Question {
  readonly entry: Entry | undefined;
  readonly line: string;
  readonly rule: string;
  readonly why: string;
}

export interface Surprise {
  readonly habit: string;
  readonly text: string;
}

export class YearOffice {
  readonly questions: Question[] = [];
  readonly surprises: Surprise[] = [];
  /** What each line of each feed truly is. */
  readonly entryOfLine = new Map<string, Entry>();
  readonly keyOf = new Map<Promised, string>();
  readonly reported = new Map<string, bigint>();
  readonly #year: HiddenYear;
  readonly #stand: Stand;
  readonly #pipeline: Pipeline;
  readonly #entryOf: ReadonlyMap<string, Entry>;

  constructor(year: HiddenYear, stand: Stand, pipeline: Pipeline) {
    this.#year = year;
    this.#stand = stand;
    this.#pipeline = pipeline;
    this.#entryOf = new Map(year.entries.map((entry) => [entry.id, entry]));
  }

  async play(): Promise<void> {
    await this.#bookPromises();
    const deliveries = deliveriesOf(this.#year);
    for (const [at, month] of MONTHS.entries()) await this.#month(month, deliveries[at] ?? []);
    for (const { from, to } of MONTHS) await this.#report(from, to);
    await this.#report(`${YEAR}-01-01`, `${YEAR}-12-31`);
  }

  async #month(month: Month, deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) if (delivery.comes !== 'late') await this.#take(delivery);
    const late = deliveries.filter(({ comes }) => comes === 'late');
    for (const delivery of late) {
      await this.#mustStayOpen(delivery, month);
      await this.#take(delivery);
    }
    await this.#pipeline.reconcilePeriod({ to: month.to }, ACTOR);
    await this.#answerAll(month);
    for (const { number } of this.#year.accounts) await this.#close(number, month, deliveries);
  }

  /** All promises of the year are on the books when it begins. */
  async #bookPromises(): Promise<void> {
    const text = this.#year.promised.map(awardLine).join('\n');
    const source = { ...bytesOf('books.ndjson', text), format: 'ndjson' as const };
    const { document, refusals } = await this.#pipeline.ingestAwards(source, ACTOR);
    for (const refusal of refusals) {
      this.#say('plain', `award ${refusal.ordinal} is refused: ${refusal.violations[0]?.message}`);
    }
    const rows = await this.#stand.session.run(
      {
        name: '',
        text: 'select ordinal, key from grant_award where tenant = $1 and document = $2',
      },
      [this.#stand.tenant, document],
    );
    for (const { ordinal, key } of rows) {
      const award = this.#year.promised[Number(ordinal) - 1];
      if (award !== undefined) this.keyOf.set(award, String(key));
    }
  }

  async #take(delivery: Delivery): Promise<void> {
    const { name, text, lines, habit } = delivery;
    const feed = createHash('sha256').update(text).digest('hex');
    for (const [at, id] of lines.entries()) {
      const entry = this.#entryOf.get(id);
      if (entry !== undefined) this.entryOfLine.set(`${feed}#${at + 1}`, entry);
    }
    try {
      await this.#pipeline.ingestFeed({ ...bytesOf(name, text), format: 'detect' }, ACTOR);
    } catch (error) {
      if (!(error instanceof FilewrightError)) throw error;
      this.#say(habit, `${name} is refused: ${error.message}`);
      return;
    }
    if (delivery.comes === 'wrong') await this.#withdraw(feed);
  }

  /** Two people take a wrong statement back, before its month is closed. */
  async #withdraw(feed: string): Promise<void> {
    const [by, second] = this.#stand.people;
    const reason = 'the bank sent another one';
    await this.#pipeline.withdrawals.propose({ feed, reason, by });
    await this.#pipeline.withdrawals.decide(feed, { decision: 'approved', reason, by: second });
  }

  async #mustStayOpen({ account, habit }: Delivery, { from, to }: Month): Promise<void> {
    const closed = await this.#pipeline.closePeriod({ account, from, to }, ORGANIZATION, ACTOR);
    if (closed.kind === 'closed') this.#say(habit, `${account} ${to} closed without a statement`);
  }

  async #answerAll({ to }: Month): Promise<void> {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const open = (await this.#pipeline.unmatched(to)).filter(({ side }) => side === 'bank');
      if (open.length === 0) return;
      for (const { id, rule, why } of open) {
        const entry = this.entryOfLine.get(id);
        this.questions.push({ entry, line: id, rule, why });
        await this.#answer(id, entry);
      }
    }
  }

  async #answer(line: string, entry: Entry | undefined): Promise<void> {
    const [by] = this.#stand.people;
    const expectedPayments = (entry?.shares ?? []).map(({ award }) => this.keyOf.get(award) ?? '');
    const reason = 'known from the payer';
    try {
      const feeCents = expectedPayments.length === 0 ? 0 : (entry?.feeCents ?? 0);
      await this.#pipeline.resolve({ line, expectedPayments, feeCents, reason, by });
    } catch (error) {
      if (!(error instanceof FilewrightError)) throw error;
      if (error.code === 'NOT_FOUND' && expectedPayments.length === 0) return;
      this.#say(entry?.habit ?? 'plain', `${entry?.id}: an answer is refused: ${error.message}`);
      // As somebody would who cannot say it better: so that the year goes on, and its figures show what is missing.
      await this.#pipeline
        .resolve({ line, expectedPayments: [], reason, by })
        .catch(() => undefined);
    }
  }

  async #close(account: string, month: Month, deliveries: readonly Delivery[]): Promise<void> {
    const { from, to } = month;
    const closed = await this.#pipeline.closePeriod({ account, from, to }, ORGANIZATION, ACTOR);
    if (closed.kind === 'closed') return;
    const habits = new Set(
      deliveries.filter((one) => one.account === account).map(({ habit }) => habit),
    );
    const [first] = closed.obstacles;
    this.#say([...habits].join('+'), `${account} ${to} stays open: ${first ?? ''}`);
  }

  async #report(from: string, to: string): Promise<void> {
    const { figures } = await this.#pipeline.reportFigures({ kind: '990', from, to }, ACTOR);
    const total = figures.find(({ name }) => name === 'IRS990/TotalContributionsAmt');
    this.reported.set(`${from} ${to}`, total?.cents ?? 0n);
  }

  #say(habit: string, text: string): void {
    this.surprises.push({ habit, text });
  }
}

function awardLine(award: Promised): string {
  return JSON.stringify({
    grantor_id: award.payer,
    award_id: award.number,
    award_amount: award.cents,
    currency: 'USD',
    fiscal_year: YEAR,
    compliance_tags: {},
    payer: award.payer,
    ...(award.reference !== undefined && { reference: award.reference }),
    expected_on: award.expectedOn,
    // What gives an award its line of the return.
    federal_alignment: true,
    funder_type: award.kind,
    benefit: 'public',
  });
}

function bytesOf(name: string, text: string): { name: string; open(): AsyncIterable<Uint8Array> } {
  return {
    name,
    async *open() {
      yield Buffer.from(text);
    },
  };
}
