/** Whether two records of one event say the same in another spelling: then the second is a repeat and no conflict. */
import { nameKey, nameOf, wordOf } from '../identity/names.ts';
import { numberKey, referenceOf } from '../identity/numbers.ts';
import type { Docket } from './docket.ts';
import { sha256Of } from '../../../core/index.ts';

export interface Meaning {
  /** Of what is said. */
  readonly said: string;
  /** Of how names and numbers are written. */
  readonly written: string;
}

/** Undefined for a record that could not be read: it is known by its bytes alone. */
export function meaningOf({ event, office }: Docket): Meaning | undefined {
  if (event === undefined) return undefined;
  const { applicationNumber, client, technologyGroup, matter, ...rest } = event;
  const written = [applicationNumber, client, technologyGroup, matter];
  const said = [
    numberKey(applicationNumber, office),
    client === undefined ? undefined : nameKey(nameOf(client)),
    technologyGroup === undefined ? undefined : nameKey(wordOf(technologyGroup)),
    matter === undefined ? undefined : referenceOf(matter).body,
    // Whichever of them named the office, it is the same one.
    { ...rest, office: undefined, filingCountry: undefined },
  ];
  return { said: digest(said), written: digest(written) };
}

/** Other bytes that say the same in the same spelling differ in what nobody reads here, so a person compares them. */
export function isRespelled(first: Meaning | undefined, again: Meaning | undefined): boolean {
  return first !== undefined && first.said === again?.said && first.written !== again.written;
}

/** Fields in one order, since a stored record has them in another. Enough to tell records of one event apart. */
function digest(value: unknown): string {
  const sorted = (_name: string, one: unknown): unknown =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return sha256Of(JSON.stringify(value, sorted)).slice(0, 24);
}
