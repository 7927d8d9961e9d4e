/** What the entries of accounts add up to, day by day. */
import type { Day } from '../../../calendar/index.ts';
import { type BankLine, postingDay, signedCents } from '../../rules/matching/bank-line.ts';

interface Net {
  readonly cents: bigint;
  readonly entries: number;
}

export class AccountNets {
  readonly #days = new Map<string, Map<Day, { cents: bigint; entries: number }>>();

  add(line: BankLine): void {
    const key = `${line.currency} ${line.account}`;
    let days = this.#days.get(key);
    if (days === undefined) this.#days.set(key, (days = new Map()));
    const day = postingDay(line);
    let known = days.get(day);
    if (known === undefined) days.set(day, (known = { cents: 0n, entries: 0 }));
    known.cents += BigInt(signedCents(line));
    known.entries += 1;
  }

  between(of: { readonly account: string; readonly currency: string }, from: Day, to: Day): Net {
    let [cents, entries] = [0n, 0];
    for (const [day, net] of this.#days.get(`${of.currency} ${of.account}`) ?? []) {
      if (day < from || day > to) continue;
      cents += net.cents;
      entries += net.entries;
    }
    return { cents, entries };
  }
}
