/**
 * How many patent deadlines one core computes in a second, without and with their explanation. Seconds are those of the
 * processor, all threads together: a busy neighbour must not decide whether the figure is met.
 */
import { computeDeadline } from '../src/dockets/rules/compute.ts';
import type { PatentLaw } from '../src/dockets/rules/matter.ts';
import { readPatentCase } from '../src/dockets/rules/case.ts';
import { readPatentRules } from '../src/dockets/rules/rules-file.ts';
import { shippedLaw } from '../src/system/law-files.ts';
import type { Figure } from './report.ts';

type Case = Readonly<Record<string, unknown>>;

const SECONDS_PER_RUN = 1.5;
const PLAIN_PER_SECOND_MIN = 1_000_000;
const EXPLAINED_PER_SECOND_MIN = 250_000;

export function calendarFigures(): Figure[] {
  const shipped = shippedLaw();
  const law: PatentLaw = {
    rules: shipped.compiled('rules/patent.json', readPatentRules),
    calendars: shipped.calendars,
    relief: [],
  };
  const cases = docket();
  return [
    figure('patent deadlines without explanation', PLAIN_PER_SECOND_MIN, () =>
      perSecond(cases, law, false),
    ),
    figure('patent deadlines with explanation', EXPLAINED_PER_SECOND_MIN, () =>
      perSecond(cases, law, true),
    ),
  ];
}

function figure(name: string, limit: number, measure: () => number): Figure {
  const value = measure();
  return {
    name: `${name}, ${(value / limit).toFixed(1)} times the limit`,
    measured: `${Math.round(value)} /s`,
    limit: `≥ ${limit} /s`,
    met: value >= limit,
  };
}

/** A mixed docket over four offices and thirty years; receipts are not deadlines and are left out. */
function docket(): Case[] {
  const kinds = [
    { office: 'US', rule: 'US-REPLY-SSP', period: 'P3M' },
    { office: 'US', rule: 'US-REPLY-EXT', period: 'P3M+P2M' },
    { office: 'US', rule: 'US-MF-DUE', period: 'P3Y6M' },
    { office: 'EP', rule: 'EP-NOTIFICATION', period: 'P4M' },
    { office: 'EP', rule: 'EP-RENEWAL-LAST-DAY', period: 'fifth year' },
    { office: 'EP', rule: 'EP-RENEWAL-GRACE-DEFERRED', period: 'P31M then P6M' },
    { office: 'WO', rule: 'PCT-MONTHS-IB', period: 'P16M' },
    { office: 'JP', rule: 'JP-OA-OVERSEAS-EXT', period: 'P3M+P2M' },
    { office: 'JP', rule: 'JP-OA-DOMESTIC', period: 'P60D' },
  ];
  const cases: Case[] = [];
  for (let index = 0; index < 9_000; index += 1) {
    const kind = kinds[index % kinds.length] ?? {};
    const day = (index * 7) % 28;
    const month = (index * 5) % 12;
    const date = `${2000 + (index % 30)}-${String(month + 1).padStart(2, '0')}-${String(day + 1).padStart(2, '0')}`;
    cases.push({ id: `case-${index}`, trigger_date: date, ...kind });
  }
  return cases;
}

function perSecond(cases: readonly Case[], law: PatentLaw, explain: boolean): number {
  const run = (seconds: number): number => {
    const started = process.cpuUsage();
    let done = 0;
    let sum = 0;
    let used = 0;
    while (used < seconds) {
      // The result is used, so that no part of the work can be left out.
      for (const one of cases) sum += computeDeadline(readPatentCase(one), law, { explain }).due;
      done += cases.length;
      const { user, system } = process.cpuUsage(started);
      used = (user + system) / 1_000_000;
    }
    if (sum === 0) throw new Error('the bench computed nothing');
    return done / used;
  };
  run(SECONDS_PER_RUN / 3);
  return run(SECONDS_PER_RUN);
}
