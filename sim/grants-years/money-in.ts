/** How promised money arrives. */
import { businessDaysAfter, dayAfter, monthOf } from './days.ts';
import type { Payment, Promised } from './hidden-year.ts';
import { asWired, FIELD_CHARS, otherSpelling, person, withOtherBlanks } from './spellings.ts';
import { wholeOf, type YearWriter } from './year-writer.ts';

export function moneyIn(year: YearWriter): void {
  plain(year);
  spelledOtherwise(year);
  cutReferences(year);
  late(year);
  equalAmounts(year);
  twins(year);
  together(year);
  inParts(year);
  installments(year);
  batches(year);
  announced(year);
  short(year);
}

function plain(year: YearWriter): void {
  const { draw } = year;
  for (let n = draw.int(14, 22); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day() });
    year.pay(award, { habit: 'plain' });
  }
  for (let n = draw.int(3, 6); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day(), reference: undefined });
    year.pay(award, { habit: 'plain', text: 'GIFT' });
  }
  // In the text, between other words.
  for (let n = draw.int(2, 5); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day() });
    const text = draw.pick([
      `GRANT ${award.reference} THANK YOU`,
      `PMT/${award.reference}/ARTS`,
      `REF:${award.reference}, SPRING`,
      `award (${award.reference?.toLowerCase()})`,
    ]);
    year.pay(award, { habit: 'plain', reference: undefined, text });
  }
  // The payer left the reference out, and the bank wrote numbers of its own.
  for (let n = draw.int(2, 4); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day() });
    const id = draw.int(1_000_000_000, 9_999_999_999);
    year.pay(award, {
      habit: 'plain',
      on: businessDaysAfter(award.expectedOn, draw.int(0, 4)),
      reference: undefined,
      text: draw.pick([`ACH CREDIT PPD ID: ${id}`, `DEPOSIT BRANCH 0221 ${id}`, 'WIRE TRANSFER']),
    });
  }
  for (let n = draw.int(1, 3); n > 0; n -= 1) year.promise({ expectedOn: year.day() });
}

function spelledOtherwise(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('blanks', 3, 6); n > 0; n -= 1) {
    const isSpaced = draw.chance(0.4);
    const number = String(10_000 + year.promised.length);
    const given = isSpaced ? { reference: `RB ARTS ${number}` } : {};
    const award = year.promise({ expectedOn: year.day(), ...given });
    const reference = withOtherBlanks(draw, award.reference ?? '');
    const isInText = draw.chance(0.5);
    year.pay(award, {
      habit: 'blanks',
      ...(isInText ? { reference: undefined, text: `GRANT ${reference} SPRING` } : { reference }),
    });
  }
  for (let n = year.times('payer_names', 5, 9); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day(), reference: undefined });
    const payer = otherSpelling(draw, award.payer);
    year.pay(award, { habit: 'payer_names', text: 'GIFT', payer });
  }
}

function cutReferences(year: YearWriter): void {
  for (let n = year.times('cut_reference', 2, 4); n > 0; n -= 1) {
    const number = 1_000 + year.promised.length;
    const gap = year.draw.pick(['-', ' ', '/']);
    const reference = ['SPRINGFIELD', 'COMMUNITY', 'FUND', '2026', 'ARTS', number].join(gap);
    const award = year.promise({ expectedOn: year.day(), reference });
    year.pay(award, { habit: 'cut_reference', reference: reference.slice(0, FIELD_CHARS) });
  }
}

/** Weeks after it was due, under its own reference and to the cent. */
function late(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('late_booking', 2, 4); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day(6) });
    year.pay(award, {
      habit: 'late_booking',
      on: businessDaysAfter(award.expectedOn, draw.int(26, 110)),
    });
  }
}

function equalAmounts(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('equal_amounts', 1, 3); n > 0; n -= 1) {
    const cents = year.amount();
    const expectedOn = year.day();
    const payers = draw
      .shuffled(['Tulip Trust', 'Aspen Fund', 'Cedar Circle', 'Maple Guild', 'Elm Society'])
      .slice(0, draw.int(2, 4));
    for (const payer of payers) {
      const award = year.promise({ expectedOn, payer, cents, reference: undefined });
      year.pay(award, { habit: 'equal_amounts', text: 'DONATION' });
    }
  }
}

/** Two grants of one payer, of one amount, on one day: two payments, told apart by their references or by nobody. */
function twins(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('twins', 1, 2); n > 0; n -= 1) {
    const account = year.anyAccount();
    const first = year.promise({ expectedOn: year.day() });
    const second = year.promise({ ...first, ...nameOf(year), expectedOn: first.expectedOn });
    const on = businessDaysAfter(first.expectedOn, draw.int(0, 3));
    for (const award of [first, second]) year.pay(award, { habit: 'twins', on, account });
  }
  if (year.times('twins', 1, 1) === 0 || draw.chance(0.5)) return;
  const account = year.anyAccount();
  const award = { expectedOn: year.day(), reference: undefined, payer: 'Willow Trust' };
  const first = year.promise(award);
  const second = year.promise({ ...award, cents: first.cents });
  for (const one of [first, second]) {
    year.pay(one, {
      habit: 'twins',
      on: businessDaysAfter(award.expectedOn, 1),
      account,
      text: 'GIFT',
      decidedBy: 'person',
    });
  }
}

/** A number and a reference of its own for a promise that is otherwise like another one. */
function nameOf(year: YearWriter): Pick<Promised, 'number' | 'reference'> {
  const n = year.promised.length + 1;
  return { number: `T-${n}`, reference: `RBTWIN-${n}` };
}

function together(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('together', 1, 3); n > 0; n -= 1) {
    const expectedOn = year.day();
    const payer = 'Northwind Community Fund';
    const awards = Array.from({ length: draw.int(2, 9) }, () =>
      year.promise({ expectedOn, payer }),
    );
    year.enter({
      on: businessDaysAfter(expectedOn, draw.int(0, 5)),
      cents: awards.reduce((sum, { cents }) => sum + cents, 0),
      payer: asWired(payer),
      text: `GRANTS ${awards.map(({ reference }) => reference).join(' ')}`,
      shares: awards.map(wholeOf),
      habit: 'together',
    });
  }
}

/** Two or three payments of one month under one reference. */
function inParts(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('in_parts', 1, 2); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: `${year.day().slice(0, 8)}03` });
    const account = year.anyAccount();
    let left = award.cents;
    const count = draw.int(2, 3);
    for (let part = 1; part <= count; part += 1) {
      const cents = part === count ? left : draw.int(1_000, left - 1_000 * (count - part));
      left -= cents;
      const on = businessDaysAfter(award.expectedOn, part * 4);
      year.pay(award, { habit: 'in_parts', account, cents, on, shares: [{ award, cents }] });
    }
  }
}

/** One award, a payment every two or three months: every closing sees a part of it. */
function installments(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('installments', 1, 2); n > 0; n -= 1) {
    const cents = year.amount(6_000, 60_000);
    const expectedOn = businessDaysAfter('2026-01-05', draw.int(0, 20));
    const award = year.promise({ expectedOn, cents });
    const count = draw.int(2, 4);
    // Some awards are never paid to the end: a remainder stays.
    const parts = draw.chance(0.3) ? count + 1 : count;
    const each = Math.floor(cents / parts);
    for (let part = 0; part < count; part += 1) {
      const isLast = part === parts - 1;
      const money = isLast ? cents - each * (parts - 1) : each;
      year.pay(award, {
        habit: 'installments',
        cents: money,
        on: businessDaysAfter(expectedOn, part * draw.int(44, 55)),
        shares: [{ award, cents: money }],
        decidedBy: 'either',
      });
    }
  }
}

const BATCH_SIZES = [3, 8, 25, 70, 160, 320] as const;

/** Many gifts in one line, with their names and references listed below it, or with nothing. */
function batches(year: YearWriter): void {
  const { draw } = year;
  const listing = year.accountFor('batch');
  for (let n = listing === undefined ? 0 : year.times('batch', 1, 2); n > 0; n -= 1) {
    batch(year, { size: draw.pick(BATCH_SIZES), account: listing?.number, isListed: true });
  }
  for (let n = year.times('batch_without_details', 1, 2); n > 0; n -= 1) {
    batch(year, { size: draw.int(3, 30), account: undefined, isListed: false });
  }
}

function batch(
  year: YearWriter,
  about: {
    readonly size: number;
    readonly account: string | undefined;
    readonly isListed: boolean;
  },
): void {
  const { draw } = year;
  const { size, isListed } = about;
  const expectedOn = year.day();
  // A processor lists either the references of the gifts or the names of the givers.
  const hasReferences = isListed && draw.chance(0.6);
  const gifts = Array.from({ length: size }, (_, n) =>
    year.promise({
      expectedOn,
      payer: person(draw, n),
      kind: 'individual',
      cents: year.amount(5, 900),
      ...(!hasReferences && { reference: undefined }),
    }),
  );
  const details = gifts.map(
    ({ cents, payer, reference }): Payment => ({
      cents,
      payer: asWired(payer),
      reference,
      text: 'GIFT',
    }),
  );
  year.enter({
    on: businessDaysAfter(expectedOn, draw.int(0, 3)),
    account: about.account ?? year.anyAccount(),
    cents: gifts.reduce((sum, { cents }) => sum + cents, 0),
    text: 'BATCH DEPOSIT DONATIONS',
    details: isListed ? details : [],
    shares: gifts.map(wholeOf),
    decidedBy: isListed ? 'evidence' : 'person',
    habit: isListed ? 'batch' : 'batch_without_details',
  });
}

/** Through the clearing, which announces it in a file of its own. */
function announced(year: YearWriter): void {
  const account = year.accountFor('announcement');
  if (account === undefined) return;
  for (let n = year.times('announcement', 3, 6); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day(), kind: 'government' });
    const trace = year.trace();
    year.pay(award, { habit: 'announcement', account: account.number, trace });
  }
}

const FEES = [1_500, 2_500, 3_500] as const;

/** A bank on the way has kept its fee, or the payer paid a second time by mistake. */
function short(year: YearWriter): void {
  const { draw } = year;
  for (let n = year.times('fee', 1, 3); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day() });
    const feeCents = draw.pick(FEES);
    const cents = award.cents - feeCents;
    const shares = [{ award, cents: award.cents }];
    year.pay(award, { habit: 'fee', cents, feeCents, shares, decidedBy: 'person' });
  }
  for (let n = year.times('paid_twice', 1, 2); n > 0; n -= 1) {
    const award = year.promise({ expectedOn: year.day(9) });
    const first = year.pay(award, { habit: 'plain' });
    year.pay(award, {
      habit: 'paid_twice',
      account: first.account,
      on: businessDaysAfter(dayAfter(monthOf(first.on).to, 1), draw.int(1, 8)),
      shares: [],
      decidedBy: 'person',
    });
  }
}
