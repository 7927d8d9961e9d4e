/** P2 and P3: several expected payments in one deposit, and one expected payment in several deposits; always under one reference. */
import { referenceClusters } from './by-reference.ts';
import { type SubsetSum, partsOf } from './subset-sum.ts';
import {
  isInWindow,
  isSameKindOfMoney,
  type Line,
  mentions,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';

/** More open entries under one reference than this are not searched: a person sees them as unmatched, with this reason. */
export const POOL_MAX = 40;

interface Cluster {
  readonly lines: Line[];
  readonly expectedPayments: Expected[];
}

/** One entry that is put together from parts of the other side. */
interface Proposal<Whole, Part> {
  readonly whole: Whole;
  readonly parts: readonly Part[];
}

export function matchInParts(bench: Workbench): void {
  matchAllNamed(bench);
  const clusters = openClusters(bench);
  for (const cluster of clusters) matchManyToOne(bench, cluster);
  for (const cluster of clusters) matchOneToMany(bench, cluster);
}

/** A deposit that comes to everything it names is for all of it, however much that is: no smaller choice can come to it. */
function matchAllNamed(bench: Workbench): void {
  const asked = new Set<number>();
  const lines = bench.lines.filter(({ isOpen, references }) => isOpen && references.length > 1);
  for (const { references } of lines) for (const reference of references) asked.add(reference);
  const named = new Map<number, Expected[]>();
  for (const expectedPayment of asked.size === 0 ? [] : bench.expectedPayments) {
    if (expectedPayment.state !== 'open' || !asked.has(expectedPayment.reference)) continue;
    const known = named.get(expectedPayment.reference);
    if (known === undefined) named.set(expectedPayment.reference, [expectedPayment]);
    else known.push(expectedPayment);
  }
  const proposals = lines.flatMap((whole): Proposal<Line, Expected>[] => {
    const parts = whole.references
      .flatMap((reference) => named.get(reference) ?? [])
      .filter((expectedPayment) => canMeet(bench, whole, expectedPayment))
      .sort((one, other) => one.at - other.at);
    const sum = parts.reduce((total, { given }) => total + given.amountCents, 0);
    return parts.length > 1 && sum === whole.given.amountCents ? [{ whole, parts }] : [];
  });
  const { accepted } = withoutClashes(proposals, 'earlier-has-it');
  for (const { whole, parts } of accepted) matchSum(bench, whole, parts);
}

function matchSum(bench: Workbench, line: Line, expectedPayments: readonly Expected[]): void {
  resolve(bench, {
    rule: 'P2-many-to-one',
    status: 'matched',
    lines: [line],
    expectedPayments,
    text: `${expectedPayments.length} expected payments with the same reference add up to the deposit exactly, and no other combination does.`,
  });
}

function openClusters(bench: Workbench): readonly Cluster[] {
  const clusterOf = referenceClusters(bench);
  const clusters = new Map<number, Cluster>();
  for (const expectedPayment of bench.expectedPayments) {
    if (expectedPayment.reference < 0 || expectedPayment.state !== 'open') continue;
    const key = clusterOf(expectedPayment.reference);
    const cluster = clusters.get(key);
    if (cluster === undefined)
      clusters.set(key, { lines: [], expectedPayments: [expectedPayment] });
    else cluster.expectedPayments.push(expectedPayment);
  }
  for (const line of bench.lines) {
    const [reference] = line.references;
    if (!line.isOpen || reference === undefined) continue;
    clusters.get(clusterOf(reference))?.lines.push(line);
  }
  return [...clusters.values()].filter(({ lines, expectedPayments }) => {
    const isSearched = lines.length <= POOL_MAX && expectedPayments.length <= POOL_MAX;
    if (!isSearched) for (const line of lines) line.isUnsearched = true;
    return isSearched && lines.length > 0;
  });
}

function canMeet(bench: Workbench, line: Line, expectedPayment: Expected): boolean {
  return (
    mentions(line, expectedPayment) &&
    isSameKindOfMoney(line, expectedPayment) &&
    isInWindow(line, expectedPayment, bench.policy.withReference)
  );
}

function matchManyToOne(bench: Workbench, { lines, expectedPayments }: Cluster): void {
  propose<Line, Expected>({
    wholes: () => lines.filter((line) => line.isOpen),
    pool: (line) =>
      expectedPayments.filter(
        (expectedPayment) =>
          expectedPayment.state === 'open' && canMeet(bench, line, expectedPayment),
      ),
    partsMax: bench.policy.groupMax,
    equalWishes: 'earlier-has-it',
    accept: ({ whole, parts }) => matchSum(bench, whole, parts),
    doubt: (line, named) => {
      resolve(bench, {
        rule: 'P2-ambiguous',
        status: 'manual',
        lines: [line],
        expectedPayments: named,
        text: 'More than one combination of expected payments with the reference adds up to the deposit.',
      });
    },
  });
}

function matchOneToMany(bench: Workbench, { lines, expectedPayments }: Cluster): void {
  propose<Expected, Line>({
    wholes: () => expectedPayments.filter((expectedPayment) => expectedPayment.state === 'open'),
    pool: (expectedPayment) =>
      lines.filter((line) => line.isOpen && canMeet(bench, line, expectedPayment)),
    partsMax: bench.policy.groupMax,
    equalWishes: 'in-doubt',
    accept: ({ whole, parts }) => {
      resolve(bench, {
        rule: 'P3-one-to-many',
        status: 'matched',
        lines: parts,
        expectedPayments: [whole],
        text: `${parts.length} deposits with the same reference add up to the expected payment exactly, and no other combination does.`,
      });
    },
    doubt: (expectedPayment, named) => {
      resolve(bench, {
        rule: 'P3-ambiguous',
        status: 'manual',
        lines: named,
        expectedPayments: [expectedPayment],
        text: 'More than one combination of deposits with the reference adds up to the expected payment.',
      });
    },
  });
}

interface Search<Whole, Part> {
  readonly wholes: () => readonly Whole[];
  readonly pool: (whole: Whole) => readonly Part[];
  readonly partsMax: number;
  /** Two deposits for the same expected payments are a payment and its repetition; two expected payments for the same deposits are a guess. */
  readonly equalWishes: 'earlier-has-it' | 'in-doubt';
  readonly accept: (proposal: Proposal<Whole, Part>) => void;
  readonly doubt: (whole: Whole, named: readonly Part[]) => void;
}

type Entry = Line | Expected;

/**
 * All proposals are made on the same state before any is accepted; accepting one by one would let the order decide.
 * Proposals that want some of the same parts are in doubt.
 */
function propose<Whole extends Entry, Part extends Entry>(search: Search<Whole, Part>): void {
  for (let isGoingOn = true; isGoingOn; ) {
    isGoingOn = false;
    const proposals: Proposal<Whole, Part>[] = [];
    const doubtful: Proposal<Whole, Part>[] = [];
    for (const whole of search.wholes()) {
      const pool = search.pool(whole);
      const parts = findParts(whole, pool, search.partsMax);
      if (parts.kind === 'many') doubtful.push({ whole, parts: pool });
      if (parts.kind !== 'one') continue;
      proposals.push({ whole, parts: pool.filter((_, place) => parts.places.includes(place)) });
    }
    const { accepted, clashing } = withoutClashes(proposals, search.equalWishes);
    for (const proposal of accepted) search.accept(proposal);
    if (accepted.length > 0) isGoingOn = true;
    else
      for (const { whole, parts } of [...doubtful, ...clashing]) doubtStill(search, whole, parts);
  }
}

/** An earlier doubt may have claimed the same deposits: a line has one bucket only. */
function doubtStill<Whole extends Entry, Part extends Entry>(
  search: Search<Whole, Part>,
  whole: Whole,
  parts: readonly Part[],
): void {
  const free = parts.filter((part) => ('isOpen' in part ? part.isOpen : true));
  if (free.length > 0) search.doubt(whole, free);
}

function findParts(whole: Entry, pool: readonly Entry[], partsMax: number): SubsetSum {
  return partsOf(
    whole.given.amountCents,
    pool.map(({ given }) => given.amountCents),
    partsMax,
  );
}

function withoutClashes<Whole extends Entry, Part extends Entry>(
  proposals: readonly Proposal<Whole, Part>[],
  equalWishes: Search<Whole, Part>['equalWishes'],
): {
  readonly accepted: readonly Proposal<Whole, Part>[];
  readonly clashing: readonly Proposal<Whole, Part>[];
} {
  const nameOf = ({ whole, parts }: Proposal<Whole, Part>): string => {
    const wish = parts.map(({ at }) => at).join(' ');
    return equalWishes === 'in-doubt' ? `${whole.at}: ${wish}` : wish;
  };
  const wantedAs = new Map<Part, Set<string>>();
  for (const proposal of proposals) {
    for (const part of proposal.parts) {
      const names = wantedAs.get(part) ?? new Set();
      wantedAs.set(part, names.add(nameOf(proposal)));
    }
  }
  const accepted: Proposal<Whole, Part>[] = [];
  const clashing: Proposal<Whole, Part>[] = [];
  const taken = new Set<string>();
  for (const proposal of proposals) {
    if (proposal.parts.some((part) => (wantedAs.get(part)?.size ?? 0) > 1)) clashing.push(proposal);
    else if (!taken.has(nameOf(proposal))) {
      taken.add(nameOf(proposal));
      accepted.push(proposal);
    }
  }
  return { accepted, clashing };
}
