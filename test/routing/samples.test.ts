/** The samples, read the way an import reads them and sent on their first step. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { datesOf } from '../../src/dockets/rules/docket/dates.ts';
import { type DocketReading, readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import { docketOf } from '../../src/dockets/rules/docket/docket.ts';
import { nextStep } from '../../src/dockets/rules/routing/next-step.ts';
import { startRouting } from '../../src/dockets/rules/routing/state.ts';
import { openInput } from '../../src/intake/input.ts';
import { at, desk, eventOf, law, PAYLOAD, readSample } from './firm.ts';

const NOW = at('2026-11-16T15:00:00Z');

async function readings(name: string, kind: 'csv' | 'ndjson'): Promise<DocketReading[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(readSample(name));
  }
  // No column is needed by the reader of the format: a missing one is drift, and the docket's own affair.
  const { rows } = await openInput(bytes(), { format: { kind }, mapping: {}, columns: [] });
  const found: DocketReading[] = [];
  for await (const row of rows) {
    if (row.kind === 'row') found.push(readDocketRow(row.row));
  }
  return found;
}

describe('the samples', () => {
  it.each([
    [
      'patent-docket.ndjson',
      'ndjson',
      [
        '18/300101 2027-02-02 send PRIMARY bio-endpoint',
        // One of the electronics team may not see this client: the team is passed over.
        '18/300102 2027-01-26 send SECONDARY lind-mail',
        '18/300103 2026-12-21 send PRIMARY bio-endpoint',
        // Nobody but the privileged person has the right to what is export-controlled.
        'EP24100104 2027-02-12 manual MANUAL hart-mail',
        // The source states an earlier date than the law.
        '2025-500105 2027-01-15 send TERTIARY moreau-mail',
      ],
    ],
    [
      'patent-docket.csv',
      'csv',
      [
        '18/300201 2027-02-09 send PRIMARY bio-endpoint',
        '18/300202 2027-01-04 manual MANUAL hart-mail',
      ],
    ],
  ] as const)('%s', async (name, kind, expected) => {
    const steps = (await readings(name, kind)).map((reading) => {
      const { event } = eventOf(reading);
      const docket = docketOf(event, { tenant: 'firm', rules: law.rules, payloadSha256: PAYLOAD });
      const dates = datesOf(docket, law, NOW);
      const due = dates.kind === 'dated' ? formatDay(dates.due) : dates.why;
      const step = nextStep(startRouting(NOW), { kind: 'clock' }, NOW, desk({ docket }));
      const message = step.kind === 'send' || step.kind === 'manual' ? step.message : undefined;
      return `${event.applicationNumber} ${due} ${step.kind} ${message?.tier} ${message?.target}`;
    });
    expect(steps).toEqual(expected);
  });

  it('a file with a renamed column is drift in every row', async () => {
    const [reading] = await readings('patent-docket-drift.ndjson', 'ndjson');
    expect(reading).toMatchObject({
      kind: 'drift',
      changes: [
        { field: 'application_number', change: 'renamed', likely: 'applicationNumberText' },
      ],
    });
  });
});
