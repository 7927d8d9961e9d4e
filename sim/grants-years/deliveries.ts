/** The files that the banks of a year send, in the order in which they come, each with the entries that its lines tell. */
import { Draw } from '../world/draw.ts';
import { businessDayFrom, dayAfter, lastBusinessDay, type Month, MONTHS } from './days.ts';
import { bai2File } from './files/bai2.ts';
import { camtNotice, camtStatement } from './files/camt.ts';
import { mt940File } from './files/mt940.ts';
import { nachaFile } from './files/nacha.ts';
import { ofxDownload } from './files/ofx.ts';
import { closingOf, type Statement, type Told } from './files/told.ts';
import { canHave, type Habit } from './habits.ts';
import { type Account, type Entry, type HiddenYear, signedCents } from './hidden-year.ts';

export interface Delivery {
  readonly name: string;
  readonly account: string;
  readonly text: string;
  /** The truth's names of the entries, line by line. */
  readonly lines: readonly string[];
  readonly habit: Habit | 'plain';
  /**
   * - `late`: comes only after somebody has tried to close without it.
   * - `wrong`: the bank takes it back and sends another one.
   */
  readonly comes: 'in time' | 'late' | 'wrong';
}

/** Files by month, those of an announcement first. */
export function deliveriesOf(year: HiddenYear): readonly (readonly Delivery[])[] {
  const banks = year.accounts.map((account) => new Bank(year, account));
  return MONTHS.map((month) => banks.flatMap((bank) => [...bank.filesOf(month)]));
}

class Bank {
  readonly #year: HiddenYear;
  readonly #account: Account;
  readonly #told: readonly Told[];
  readonly #draw: Draw;
  /** The months in which a habit shows; in the others the bank is as everybody hopes. */
  readonly #monthsOf = new Map<Habit, ReadonlySet<number>>();
  readonly #numbers = new Map<string, number>();
  #messages = 0;

  constructor(year: HiddenYear, account: Account) {
    this.#year = year;
    this.#account = account;
    this.#draw = new Draw(year.seed, `bank ${account.number}`);
    const entries = year.entries.filter((entry) => entry.account === account.number);
    this.#told = entries.map((entry) => ({ entry, number: numberOf(account, entry, entries) }));
    for (const habit of year.habits) {
      if (!canHave(habit, account.format)) continue;
      const months = this.#draw.shuffled([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      this.#monthsOf.set(habit, new Set(months.slice(0, this.#draw.int(2, 4))));
    }
  }

  *filesOf(month: Month): Generator<Delivery> {
    yield* this.#hints(month);
    if (this.#isOn('wrong_statement', month)) yield* this.#wrong(month);
    if (this.#isOn('late_statement', month)) yield* this.#inHalves(month);
    else if (this.#isOn('overlap', month)) yield* this.#overlapping(month);
    else if (this.#isOn('overlap_closed', month)) {
      const from = dayAfter(month.from, -this.#draw.int(3, 16));
      yield this.#file([this.#statement(from, month.to)], 'overlap_closed');
    } else if (this.#isOn('camt_pages', month)) yield* this.#camtPages(month);
    else if (this.#isOn('mt940_pages', month)) {
      const pages = this.#cutInPages(this.#statement(month.from, month.to));
      yield this.#file(pages, 'mt940_pages');
    } else yield this.#whole(month, 'plain');
    // A copy of the whole month would tell what a late statement holds back.
    if (this.#isOn('copy', month) && !this.#isOn('late_statement', month)) {
      const copy = this.#statements(month).map((one) => ({ ...one, notice: 'COPY' as const }));
      yield this.#file(copy, 'copy');
    }
  }

  #isOn(habit: Habit, { number }: Month): boolean {
    return this.#monthsOf.get(habit)?.has(number) === true;
  }

  *#hints(month: Month): Generator<Delivery> {
    const lines = this.#linesOf(month.from, month.to);
    const habit = 'announcement';
    const announced = lines.filter(({ entry }) => entry.trace !== undefined && !entry.isOut);
    if (
      this.#year.habits.has(habit) &&
      announced.length > 0 &&
      canHave(habit, this.#account.format)
    ) {
      for (const { entry } of announced) {
        // On the day or the eve, where that is a day of the same month: the month before may be closed.
        const eve = dayAfter(entry.on, -1);
        const isEve = this.#draw.chance(0.3) && eve >= month.from;
        const text = nachaFile([entry], isEve ? eve : entry.on);
        yield this.#delivery({ text, told: [entry], habit, comes: 'in time', name: 'ach.txt' });
      }
    }
    for (const { habit: kind, code } of NOTICES) {
      if (!this.#isOn(kind, month) || lines.length === 0) continue;
      const some = lines
        .filter(() => this.#draw.chance(0.7))
        .map((told) => ({ ...told, isPending: kind === 'intraday' && this.#draw.chance(0.3) }));
      if (some.length === 0) continue;
      const id = this.#messageId();
      const text = camtNotice(code, {
        account: this.#account.number,
        id,
        to: month.to,
        lines: some,
      });
      yield this.#delivery({
        text,
        told: some.map(({ entry }) => entry),
        habit: kind,
        comes: 'in time',
        name: `${id}.xml`,
      });
    }
  }

  /** One amount is wrong, and the balance with it; the right one follows. */
  *#wrong(month: Month): Generator<Delivery> {
    const right = this.#statement(month.from, month.to);
    const at = right.lines.findIndex(({ entry }) => !entry.isOut && entry.details.length === 0);
    const lines = right.lines.map((told, place) =>
      place === at ? { ...told, entry: { ...told.entry, cents: told.entry.cents + 90_000 } } : told,
    );
    if (at < 0) return;
    const file = this.#file([{ ...right, id: this.#messageId(), lines }], 'wrong_statement');
    yield { ...file, comes: 'wrong' };
  }

  /** One of them comes late; a half in which nothing moved may be missing, because the balances go on. */
  *#inHalves(month: Month): Generator<Delivery> {
    const middle = dayAfter(month.from, 14);
    const halves = [
      this.#statement(month.from, middle),
      this.#statement(dayAfter(middle, 1), month.to),
    ];
    const moved = halves.filter((half) => closingOf(half) !== half.openingCents);
    const late = moved.length === 0 ? undefined : this.#draw.pick(moved);
    for (const half of halves) {
      yield { ...this.#file([half], 'late_statement'), comes: half === late ? 'late' : 'in time' };
    }
  }

  *#overlapping(month: Month): Generator<Delivery> {
    const end = dayAfter(month.from, this.#draw.int(14, 22));
    const begin = dayAfter(month.from, this.#draw.int(4, 12));
    yield this.#file([this.#statement(month.from, end)], 'overlap');
    yield this.#file([this.#statement(begin, month.to)], 'overlap');
  }

  *#camtPages(month: Month): Generator<Delivery> {
    const whole = this.#statement(month.from, month.to);
    const isWholeTold = this.#draw.chance(0.4);
    for (const page of this.#cutInPages(whole)) {
      const { page: place } = page;
      const told = place !== undefined && isWholeTold ? { page: { ...place, whole } } : {};
      yield this.#file([{ ...page, ...told }], 'camt_pages');
    }
  }

  #cutInPages(whole: Statement): readonly Statement[] {
    const cut = Math.floor(whole.lines.length / 2);
    if (cut === 0) return [whole];
    const first = whole.lines.slice(0, cut);
    const middle = first.reduce((sum, { entry }) => sum + signedCents(entry), whole.openingCents);
    return [
      { ...whole, lines: first, page: { number: 1, isLast: false } },
      {
        ...whole,
        openingCents: middle,
        lines: whole.lines.slice(cut),
        page: { number: 2, isLast: true },
      },
    ];
  }

  #whole(month: Month, habit: Delivery['habit']): Delivery {
    return this.#file(this.#statements(month), habit);
  }

  /** Of a month: one in camt and OFX; MT940 and BAI2 tell each day for itself. */
  #statements(month: Month): readonly Statement[] {
    const { format } = this.#account;
    if (format === 'camt' || format === 'ofx') return [this.#statement(month.from, month.to)];
    const days = new Set(this.#linesOf(month.from, month.to).map(({ entry }) => entry.on));
    days.add(businessDayFrom(month.from)).add(lastBusinessDay(month));
    return [...days].sort().map((day) => this.#statement(day, day));
  }

  #statement(from: string, to: string): Statement {
    const { number: account, openingCents } = this.#account;
    const before = this.#told.filter(({ entry }) => entry.on < from);
    return {
      account,
      id: this.#messageId(),
      number: this.#numberOf(`${from} ${to}`),
      from,
      to,
      openingCents: before.reduce((sum, { entry }) => sum + signedCents(entry), openingCents),
      lines: this.#linesOf(from, to),
    };
  }

  /** Counted as they are made; the same statement has the same number again. */
  #numberOf(days: string): number {
    const known = this.#numbers.get(days) ?? this.#numbers.size + 1;
    this.#numbers.set(days, known);
    return known;
  }

  #linesOf(from: string, to: string): readonly Told[] {
    return this.#told.filter(({ entry }) => entry.on >= from && entry.on <= to);
  }

  #messageId(): string {
    this.#messages += 1;
    return `${this.#account.number.slice(-4)}-${String(this.#messages).padStart(4, '0')}`;
  }

  #file(statements: readonly Statement[], habit: Delivery['habit']): Delivery {
    const told = statements.flatMap(({ lines }) => lines.map(({ entry }) => entry));
    const id = this.#messageId();
    return this.#delivery({
      text: this.#text(statements),
      told,
      habit,
      comes: 'in time',
      name: id,
    });
  }

  #text(statements: readonly Statement[]): string {
    const [first] = statements;
    if (first === undefined) throw new Error('a file without a statement');
    switch (this.#account.format) {
      case 'camt':
        return camtStatement(first);
      case 'ofx':
        return ofxDownload(first);
      case 'mt940':
        return mt940File(statements);
      case 'bai2':
        return bai2File(statements, this.#messages);
    }
  }

  #delivery(about: {
    readonly text: string;
    readonly told: readonly Entry[];
    readonly habit: Delivery['habit'];
    readonly comes: Delivery['comes'];
    readonly name: string;
  }): Delivery {
    const { told, ...rest } = about;
    return { ...rest, account: this.#account.number, lines: told.map(({ id }) => id) };
  }
}

const NOTICES = [
  { habit: 'intraday', code: '052' },
  { habit: 'notification', code: '054' },
] as const;

/** As the bank makes it; two entries of a day and an amount may have the same one. */
function numberOf(account: Account, entry: Entry, all: readonly Entry[]): string {
  const ofDay = all.filter(({ on }) => on === entry.on);
  const place = ofDay.indexOf(entry) + 1;
  const day = entry.on.replaceAll('-', '');
  switch (account.numbers) {
    case 'filler':
      return 'NONREF';
    case 'restarting':
      return String(place).padStart(4, '0');
    case 'day-and-amount':
      return `${day}${entry.cents}`;
    case 'unique':
      return `${account.number.slice(-2)}${day}${String(place).padStart(4, '0')}`;
  }
}
