/** Small random worlds in which entries meet in every way that the rules know, and many of them by chance. */
import type { Day } from '../../src/calendar/day.ts';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { day, line, mulberry32, expectedPayment } from './reco.ts';

export interface MatchWorld {
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
}

const START = day('2026-03-02');
const REFERENCES = ['R1', 'R2', 'R3', 'AW-0004', 'AW-0005', 'AW-0006', 'AW 0007', 'AW-0008'];
const PAYERS = ['County Treasurer', 'HHS', 'Gift Fund', 'Old Mill'];
const AMOUNTS = [10_00, 20_00, 30_00, 40_00, 70_00, 70_15, 100_00, 100_20, 130_00];

export function matchWorld(seed: number): MatchWorld {
  const random = mulberry32(seed);
  const isLikely = (share: number): boolean => random() < share;
  // The place exists: the list is not empty and the number below 1.
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  // Worlds differ in how much of them is alike.
  const references = REFERENCES.slice(0, 2 + Math.floor(random() * 7));
  const payers = PAYERS.slice(0, 1 + Math.floor(random() * 4));
  const amounts = AMOUNTS.slice(0, 2 + Math.floor(random() * 8));
  const span = isLikely(0.5) ? 8 : 60;
  const dayAt = (): Day => (START + Math.floor(random() * span)) as Day; // Whole days after a day.
  const currency = (): string => (isLikely(0.1) ? 'EUR' : 'USD');
  const reference = (): string | undefined => (isLikely(0.5) ? pick(references) : undefined);

  const expectedPayments = Array.from({ length: 6 + Math.floor(random() * 24) }, (_, at) =>
    expectedPayment({
      id: `l${at}`,
      amountCents: pick(amounts),
      currency: currency(),
      direction: isLikely(0.05) ? 'debit' : 'credit',
      reference: reference(),
      expected: dayAt(),
      payer: pick(payers),
    }),
  );
  const lines = Array.from({ length: 6 + Math.floor(random() * 24) }, (_, at) => {
    const named = [reference(), isLikely(0.2) ? pick(REFERENCES) : undefined, unknown(at)];
    const isPayerInText = isLikely(0.3);
    const text = [
      isPayerInText ? pick(payers) : '',
      isLikely(0.3) ? `for ${pick(references)}.` : '',
    ].join(' ');
    return line({
      id: `b${at}`,
      account: isLikely(0.1) ? 'A2' : 'A1',
      nativeId: isLikely(0.15) ? undefined : isLikely(0.2) ? 'N0' : `N${at}`,
      amountCents: pick(amounts),
      currency: currency(),
      references: named.filter((one) => one !== undefined),
      bookingDate: dayAt(),
      counterparty: isPayerInText ? undefined : pick(payers),
      description: text.trim() === '' ? undefined : text,
      direction: isLikely(0.15) ? 'debit' : 'credit',
      status: isLikely(0.05) ? pick(['pending', 'information'] as const) : 'booked',
      trace: isLikely(0.3) ? pick(['T1', 'T2', 'T3']) : undefined,
      isReversal: isLikely(0.1),
    });
  });
  return seed % 10 === 0 ? crowd({ lines, expectedPayments }) : { lines, expectedPayments };

  /** A word that no expected payment knows. */
  function unknown(at: number): string | undefined {
    return isLikely(0.1) ? pick(['NONREF', `OTHER-${at}`]) : undefined;
  }

  /** More equal expected payments of one payer than a line may look at, beside others of the same money. */
  function crowd(world: MatchWorld): MatchWorld {
    const amountCents = pick(amounts);
    const equal = Array.from({ length: 21 + Math.floor(random() * 5) }, (_, at) =>
      expectedPayment({ id: `crowd${at}`, amountCents, payer: 'HHS', expected: START }),
    );
    const single = expectedPayment({
      id: 'single',
      amountCents,
      payer: 'Old Mill',
      expected: START,
    });
    // One that names no payer would join them all.
    const names = isLikely(0.5) ? ['HHS', 'Old Mill'] : ['HHS', 'Old Mill', undefined];
    const askers = names.map((counterparty, at) =>
      line({
        id: `asker${at}`,
        amountCents,
        counterparty,
        description: counterparty === undefined && isLikely(0.7) ? pick(PAYERS) : undefined,
        bookingDate: START,
      }),
    );
    return {
      lines: [...world.lines, ...askers],
      expectedPayments: [...world.expectedPayments, ...equal, single],
    };
  }
}
