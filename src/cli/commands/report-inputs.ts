/** What a report is asked with: its period, and what only the books know. */
import type { Command } from '../command.ts';
import type { FigurePart, ReportKind, ReportRequest } from '../../grants/index.ts';
import { misuse } from '../../core/index.ts';
import { inFile, readNamedFile } from '../arguments.ts';
import { PERIOD_FORM, readAmount, readPeriod } from './grants-arguments.ts';

export interface ReportInputs {
  readonly period: string;
  readonly award?: string;
  readonly paid?: string;
  readonly spent?: string;
  readonly listings?: string;
  readonly specialRule?: true;
  readonly contributions?: string;
}

/** Options of one report, or of all where `trace` may be asked about any. */
export function withInputs(command: Command, kind?: ReportKind): Command {
  const isFor = (...kinds: readonly ReportKind[]): boolean =>
    kind === undefined || kinds.includes(kind);
  command.requiredOption('--period <period>', `money received in ${PERIOD_FORM}`);
  if (isFor('990', 'schedule-i')) {
    command.option('--paid <file>', 'grants paid out, as CSV');
  }
  if (isFor('schedule-b')) {
    command
      .option(
        '--special-rule',
        'you are a section 170(b)(1)(A)(vi) organization that meets the 33 1/3 % support test',
      )
      .option(
        '--contributions <amount>',
        'line 1h of Part VIII, for the special rule (default: received through awards)',
      );
  }
  if (isFor('sf425')) command.option('--award <id>', 'number of the award');
  if (isFor('sf425', 'sefa')) {
    command.option('--spent <file>', 'federal money spent, as CSV');
  }
  if (isFor('sefa')) {
    command.option('--listings <file>', 'titles of assistance listings, as CSV');
  }
  return command;
}

interface AskedReport {
  readonly request: ReportRequest;
  /** Rows of the books that lie outside the period: last year's payment is no figure of this one. */
  readonly leftOut: number;
}

export async function reportRequest(kind: ReportKind, own: ReportInputs): Promise<AskedReport> {
  const { readAwardSpending, readFederalSpending, readPaidGrants } = await import(
    '../../grants/index.ts'
  );
  const days = readPeriod(own.period);
  let leftOut = 0;
  const inPeriod = <Row>(rows: readonly Row[], partOf: (row: Row) => FigurePart): Row[] => {
    const kept = rows.filter((row) =>
      partOf(row).bank.every(({ bookedOn }) => bookedOn >= days.from && bookedOn <= days.to),
    );
    leftOut += rows.length - kept.length;
    return kept;
  };
  const request = async (): Promise<ReportRequest> => {
    switch (kind) {
      case '990': {
        if (own.paid === undefined) return { kind, ...days };
        const paid = await readPaidGrants(there(own.paid));
        return { kind, ...days, paid: inPeriod(paid, ({ part }) => part) };
      }
      case 'schedule-b': {
        if (own.contributions !== undefined && own.specialRule !== true) {
          throw misuse('--contributions needs --special-rule');
        }
        if (own.specialRule !== true) return { kind, ...days };
        const cents = own.contributions;
        const contributionsCents =
          cents === undefined ? undefined : BigInt(readAmount('--contributions', cents));
        return {
          kind,
          ...days,
          special: contributionsCents === undefined ? {} : { contributionsCents },
        };
      }
      case 'schedule-i': {
        const paid = await readPaidGrants(there(needed('--paid', own.paid)));
        // Part II is about organisations, Part III about individuals; what went abroad stands in neither.
        const paidTo = (kindOf: (typeof paid)[number]['recipient']) =>
          inPeriod(
            paid.filter(({ recipient }) => recipient === kindOf),
            ({ part }) => part,
          );
        return {
          kind,
          ...days,
          paidOut: paidTo('domesticOrganization'),
          toIndividuals: paidTo('domesticIndividual'),
        };
      }
      case 'sf425': {
        const award = needed('--award', own.award);
        if (own.spent === undefined) return { kind, ...days, award };
        const lines = Object.entries(await readAwardSpending(there(own.spent)));
        const spent = lines.map(
          ([line, parts]) => [line, inPeriod(parts, (part) => part)] as const,
        );
        return { kind, ...days, award, spent: Object.fromEntries(spent) };
      }
      case 'sefa': {
        const { expenditures } = await readFederalSpending(there(needed('--spent', own.spent)));
        const listings = await listingsOf(own.listings);
        const kept = inPeriod(expenditures, ({ part }) => part);
        return { kind, ...days, expenditures: kept, listings };
      }
    }
  };
  return { request: await request(), leftOut };
}

async function listingsOf(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (file === undefined) return new Map();
  const { readAssistanceListings } = await import('../../grants/index.ts');
  const text = readNamedFile('list of assistance listings', file).toString('utf8');
  return inFile(file, () => readAssistanceListings(text));
}

function needed(option: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw misuse(`${option}: required for this report, and missing`);
}

/** Said as a missing file, before a stream says it in its own words. */
function there(file: string): string {
  readNamedFile('table', file);
  return file;
}
