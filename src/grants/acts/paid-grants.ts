/** Grants that the organisation paid out: for Part IX of the return and for Schedule I. */
import type { GrantPaidOut } from '../rules/reporting/schedule-i.ts';
import type { PaidGrant } from '../rules/reporting/form990-report.ts';
import type { PaidToIndividuals } from '../rules/reporting/schedule-i-individuals.ts';
import { cellOf, type Cells, centsOf, readBookRows } from './book-rows.ts';

/** A row serves both reports. */
type PaidGrantRow = PaidGrant & GrantPaidOut & PaidToIndividuals;

const RECIPIENTS = ['domesticOrganization', 'domesticIndividual', 'foreign'] as const;

export async function readPaidGrants(path: string): Promise<readonly PaidGrantRow[]> {
  const rows = await readBookRows(path, {
    id: 'grant_id',
    day: 'paid_on',
    others: ['recipient_kind', 'recipient_name'],
    optional: [
      'recipient_ein',
      'irc_section',
      'address',
      'city',
      'state',
      'zip',
      'valuation_method',
      'noncash_description',
      'purpose',
      'recipients',
    ],
    cents: ['noncash_amount'],
    check: faultsOf,
  });
  return rows.map(({ cells, part }) => ({
    part,
    recipient: RECIPIENTS.find((one) => one === cells['recipient_kind']) ?? 'domesticOrganization',
    recipientName: cells['recipient_name'] ?? '',
    recipients: countOf(cells),
    recipientEin: cellOf(cells, 'recipient_ein'),
    ircSection: cellOf(cells, 'irc_section'),
    address: cellOf(cells, 'address'),
    city: cellOf(cells, 'city'),
    state: cellOf(cells, 'state'),
    zip: cellOf(cells, 'zip'),
    noncashCents: centsOf(cells, 'noncash_amount'),
    valuationMethod: cellOf(cells, 'valuation_method'),
    noncashDescription: cellOf(cells, 'noncash_description'),
    purpose: cellOf(cells, 'purpose'),
  }));
}

function countOf(cells: Cells): number | undefined {
  const text = cellOf(cells, 'recipients');
  return text === undefined ? undefined : Number(text);
}

function faultsOf(cells: Cells): readonly string[] {
  const faults: string[] = [];
  const { recipient_kind: kind = '', recipient_ein: ein = '' } = cells;
  if (kind !== '' && !RECIPIENTS.some((one) => one === kind)) {
    faults.push(`recipient_kind: expected one of ${RECIPIENTS.join(', ')}`);
  }
  if (!/^([1-9]\d{0,6})?$/.test(cells['recipients'] ?? '')) {
    faults.push('recipients: expected a whole number of people');
  }
  if (!/^(\d{9})?$/.test(ein)) faults.push('recipient_ein: expected nine digits');
  return faults;
}
