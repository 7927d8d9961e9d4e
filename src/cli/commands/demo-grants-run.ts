/** A year of a small nonprofit in a minute, on this machine, against a grantor that breaks down. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openGrants, type Pipeline } from '../../grants/index.ts';
import { sequenceAll } from '../../ledger/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import type { Filewright } from '../../filewright.ts';
import { ruledOut } from '../../core/index.ts';
import { print } from '../output.ts';
import { operator } from '../context.ts';
import { StoryClock } from '../../testing/index.ts';
import { awardsIn, correctedByTwo, outage, quarter, type Story } from './demo-grants-year.ts';
import { obligationsOfYear, provenLedger, tracedReturn } from './demo-grants-end.ts';
import { twoPeople } from './demo-people.ts';
import { nextCommand, shellWord } from './next-command.ts';

const PEOPLE = ['Nora Bookkeeper', 'Theo Treasurer'] as const;
const SAMPLES = ['samples', 'grants', 'lantern-2026'];

export async function demoGrants(app: Filewright, dataDirectory: string): Promise<void> {
  const folder = join(dataDirectory, 'demo', app.tenant);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const clock = new StoryClock('2026-01-05T14:00:00Z');
  await refuseUsedTenant(openGrants(app, operator(), clock), app.tenant);
  const [first, second] = await twoPeople(app, folder, PEOPLE);
  const pipeline = openGrants(app, first, clock);
  const sample = (name: string): string => join(packageRoot(), ...SAMPLES, name);
  const approving = openGrants(app, second, clock);
  const story: Story = { app, pipeline, approving, clock, first, second, sample, say };
  say(
    `1. Lantern Street Literacy, 2026. ${first.name} keeps the books, ${second.name} approves. Tenant ${app.tenant}.
   The clock is simulated: a year, and an hour of outage, pass in seconds.`,
  );
  const city = await awardsIn(story);
  await quarter(story, {
    step: 3,
    period: '2026-Q1',
    feeds: ['bank-2026-02-10.camt052.xml', 'bank-2026-q1.camt053.xml'],
  });
  await quarter(story, { step: 4, period: '2026-Q2', feeds: ['bank-2026-q2.mt940.txt'] });
  await quarter(story, { step: 5, period: '2026-Q3', feeds: ['bank-2026-q3.bai2.txt'] });
  await correctedByTwo(story, city);
  await outage(story, await readFile(sample('grantor-us-ed.json')));
  await quarter(story, { step: 8, period: '2026-Q4', feeds: ['bank-2026-q4.ofx'] });
  await obligationsOfYear(story);
  await tracedReturn(story, folder);
  await sequenceAll(app);
  await provenLedger(story);
  sayNext(app.tenant, folder, dataDirectory);
}

function say(text: string): void {
  print(text);
}

async function refuseUsedTenant(pipeline: Pipeline, tenant: string): Promise<void> {
  const { documents, feeds } = await pipeline.status();
  if (documents + feeds === 0) return;
  throw ruledOut(
    `Tenant ${tenant} already holds awards or feeds, and the demo would mix with them; omit --tenant`,
  );
}

function sayNext(tenant: string, folder: string, dataDirectory: string): void {
  const run = nextCommand(dataDirectory, tenant);
  const key = `--key-file ${shellWord(join(folder, 'nora.key'))}`;
  say(`
Next commands
  ${run} grants status
  ${run} grants exceptions list --all
  ${run} ${key} report 990 --period 2026
  ${run} ${key} report trace IRS990/GovernmentGrantsAmt --period 2026
  ${run} ${key} report sf425 --period 2026 --award S287C260014
  ${run} obligation list
  ${run} audit verify --bodies`);
}
