/** The sample firm, and a docket of its own making, for the tests of routing. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BreakerState,
  type Instant,
  type JsonValue,
  parseRfc3339,
  parseStrictJson,
  type Random,
  sha256Hex,
} from '../../src/core/index.ts';
import { type People, readPeople } from '../../src/packs/patent/access/index.ts';
import {
  type Docket,
  docketOf,
  type DocketReading,
  readDocketRow,
} from '../../src/packs/patent/docket/index.ts';
import type { PatentLaw } from '../../src/packs/patent/index.ts';
import {
  readMatrix,
  type RoutingDesk,
  type RoutingMatrix,
} from '../../src/packs/patent/routing/index.ts';
import { shippedPatentLaw } from '../law/patent-law.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export const readSample = (name: string): string =>
  readFileSync(join(root, 'samples', name), 'utf8');
export const readMapping = (name: string): { file: string; text: string } => ({
  file: name,
  text: readFileSync(join(root, 'law/mappings', name), 'utf8'),
});

export const law: PatentLaw = shippedPatentLaw();
export const people: People = readPeople({
  file: 'people.json',
  text: readSample('patent-people.json'),
});
export const matrix: RoutingMatrix = readMatrix({
  file: 'matrix.json',
  text: readSample('patent-matrix.json'),
});

export type Row = Record<string, JsonValue>;

/** A non-final rejection of 2 November 2026: due on 2 February 2027, a Tuesday. */
export const REJECTION: Row = {
  application_number: '18/300101',
  filing_date: '2024-03-11',
  event_code: 'CTNF',
  event_date: '2026-11-02',
  period: 'P3M',
  client: 'Northwind',
  technology_group: 'BIO',
  privilege: ['attorney-client'],
};

export const PAYLOAD = sha256Hex('ab'.repeat(32));

export function eventOf(reading: DocketReading): DocketReading & { kind: 'event' } {
  if (reading.kind !== 'event') throw new Error(JSON.stringify(reading));
  return reading;
}

export function docket(changes: Row = {}): Docket {
  const { event } = eventOf(readDocketRow({ ...REJECTION, ...changes }));
  return docketOf(event, { tenant: 'firm', rules: law.rules, payloadSha256: PAYLOAD });
}

export function rowsOf(text: string): Row[] {
  return text
    .trim()
    .split('\n')
    .map((line) => parseStrictJson(line) as Row);
}

export function at(text: string): Instant {
  const found = parseRfc3339(text);
  if (found === undefined) throw new Error(`no instant: ${text}`);
  return found;
}

/** Dice that always show the same. */
export const dice = (value: number): Random => ({
  bytes: (count) => new Uint8Array(count).fill(value),
});

export function desk(changes: Partial<RoutingDesk> = {}): RoutingDesk {
  return {
    docket: docket(),
    law,
    matrix,
    people,
    breakers: new Map<string, BreakerState>(),
    random: dice(0),
    ...changes,
  };
}
