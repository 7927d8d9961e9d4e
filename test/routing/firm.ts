/** The sample firm, and a docket of its own making, for the tests of routing. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BreakerState } from '../../src/core/breaker.ts';
import { type Instant, parseRfc3339 } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import type { Random } from '../../src/core/ports.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import type { People } from '../../src/dockets/rules/access/people.ts';
import { readPeople } from '../../src/dockets/rules/access/read-people.ts';
import { type Docket, docketOf } from '../../src/dockets/rules/docket/docket.ts';
import { type DocketReading, readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { readMatrix } from '../../src/dockets/rules/routing/read-matrix.ts';
import type { StepInput } from '../../src/dockets/rules/routing/happening.ts';
import type { RoutingMatrix } from '../../src/dockets/rules/routing/matrix.ts';
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

export function desk(changes: Partial<StepInput> = {}): StepInput {
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
