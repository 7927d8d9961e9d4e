/** What the year comes to: obligations, a return with every figure traced, and the proof. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportDocument, readPaidGrants, reportTable } from '../../grants/index.ts';
import { verifyLedger } from '../../oversight/index.ts';
import { EXIT, invariant, type JsonValue } from '../../core/index.ts';
import { table } from '../output.ts';
import { ORGANIZATION, type Story } from './demo-grants-year.ts';
import { actorOf, dollars } from './grants-arguments.ts';
import { traceWords } from './report.ts';

const YEAR = { from: '2026-01-01', to: '2026-12-31' } as const;
const NEXT_YEAR = '2027-01-04';

export async function obligationsOfYear(story: Story): Promise<void> {
  const { pipeline, clock, first, say } = story;
  clock.moveTo(`${NEXT_YEAR}T14:00:00Z`);
  const request = {
    ...ORGANIZATION,
    ...YEAR,
    holder: {
      return990: { form: '990', extended: false },
      charityStates: [{ state: 'PA' }],
    },
  } as const;
  const rules = await pipeline.evaluateRules(request, actorOf(first));
  say('\n9. Obligations that come with the money');
  for (const { jurisdiction, on, obligation } of rules.crossings) {
    say(`   ${jurisdiction}: crossed on ${on}: ${obligation}`);
  }
  const ahead = rules.obligations.filter(({ due }) => due === undefined || due >= NEXT_YEAR);
  const rows = ahead.map((one) => [
    one.due ?? 'ask',
    one.filingKind,
    one.jurisdiction,
    one.entity,
    one.confidence,
  ]);
  say(table(['due', 'kind', 'jurisdiction', 'of', 'confidence'], rows));
  const past = rules.obligations.length - ahead.length;
  say(
    `   and ${past} that were due within the year; obligation list shows all of them, also as a calendar`,
  );
  for (const task of rules.tasks) say(`   first: ${task}`);
}

/** Every figure is followed down to the bank; its parts must add up to it to the cent. */
export async function tracedReturn(
  { pipeline, first, sample, say }: Story,
  folder: string,
): Promise<void> {
  const paid = await readPaidGrants(sample('paid-grants.csv'));
  const request = { kind: '990', ...YEAR, paid } as const;
  const report = await pipeline.reportFigures(request, actorOf(first));
  const rows: (readonly (string | number)[])[] = [];
  let shown: JsonValue | undefined;
  for (const figure of report.figures) {
    const trace = await pipeline.trace(request, figure.name);
    const { cents, bankLines } = tracedOf(trace);
    invariant(
      cents === figure.cents,
      `Expected the parts of ${figure.name} to be ${figure.cents} cents, found ${cents}.`,
    );
    rows.push([figure.name, figure.line, String(figure.dollars), dollars(cents), bankLines]);
    if (figure.name === 'IRS990/AllOtherContributionsAmt') shown = trace;
  }
  say('\n10. Form 990, each figure traced to the bank');
  say(table(['figure', 'line', 'dollars', 'traced', 'bank lines'], rows));
  for (const remark of report.remarks) say(`   note: ${remark}`);
  writeFileSync(join(folder, 'form-990.csv'), reportTable(report), { mode: 0o600 });
  const document = JSON.stringify(exportDocument(report), null, 2);
  writeFileSync(join(folder, 'form-990.json'), `${document}\n`, { mode: 0o600 });
  say(
    `   with all traces in ${join(folder, 'form-990.json')}; recorded as ${report.hash.slice(0, 16)}...`,
  );
  if (shown !== undefined) say(`\n   One of them in full:\n   ${traceWords(shown).join('\n   ')}`);
}

function tracedOf(trace: JsonValue): { readonly cents: bigint; readonly bankLines: number } {
  // Written by the reporting stage in this form.
  const { parts } = trace as {
    readonly parts: readonly {
      readonly sign: number;
      readonly cents: string;
      readonly payload_hash: string;
      readonly bank: readonly JsonValue[];
    }[];
  };
  for (const part of parts) {
    invariant(/^[0-9a-f]{64}$/.test(part.payload_hash), 'Expected the hash of a payload.');
    invariant(part.bank.length > 0, 'Expected at least one line of the bank.');
  }
  return {
    cents: parts.reduce((sum, { sign, cents }) => sum + BigInt(sign) * BigInt(cents), 0n),
    bankLines: parts.reduce((sum, { bank }) => sum + bank.length, 0),
  };
}

export async function provenLedger({ app, pipeline, first, say }: Story): Promise<void> {
  const report = await verifyLedger(app, first, { bodies: true });
  const rows = report.logs.map((log) => [
    log.log,
    log.entries,
    log.bodies,
    log.ok ? 'verified' : String(log.reason),
  ]);
  say('\n11. The ledger: one log for each boundary');
  say(table(['log', 'entries', 'bodies', 'verdict'], rows));
  const { openExceptions, waitingRetries, blockedReleases } = await pipeline.status();
  say(
    `   open exceptions ${openExceptions}, waiting retries ${waitingRetries}, periods not released ${blockedReleases}`,
  );
  if (!report.ok) process.exitCode = EXIT.verification;
}
