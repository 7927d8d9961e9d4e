/** The table of what came of many filings by hand: its columns, under the names that people give them. Pure. */
import type { SheetColumn, SheetColumns } from '../../core/index.ts';

const COLUMNS = [
  { name: 'filing', needed: true, value: 'text', also: ['Filing ID', 'Key', 'Filing Key'] },
  {
    name: 'receipt',
    needed: true,
    value: 'number',
    also: [
      'Receipt Number',
      'Receipt No.',
      'Receipt #',
      'Confirmation Number',
      'Confirmation No.',
      'Confirmation #',
    ],
  },
  {
    name: 'filed_at',
    needed: true,
    value: 'text',
    also: ['Filed', 'Filed At', 'Date Filed', 'Filed On', 'Time Filed'],
  },
  { name: 'fee', needed: false, value: 'money', also: ['Fee Paid', 'Amount Paid', 'Paid'] },
  { name: 'fee_reason', needed: false, value: 'text', also: ['Reason', 'Why Another Fee'] },
  {
    name: 'confirmation',
    needed: false,
    value: 'text',
    also: ['Confirmation File', 'File', 'Document', 'PDF'],
  },
  { name: 'without_file', needed: false, value: 'text', also: ['How You Know', 'No File'] },
  { name: 'shared', needed: false, value: 'flag', also: ['Shared File', 'One File for Several'] },
] as const satisfies readonly SheetColumn[];

export type OutcomeColumn = (typeof COLUMNS)[number]['name'];

export const OUTCOME_COLUMNS: readonly (SheetColumn & { readonly name: OutcomeColumn })[] = COLUMNS;

export const OUTCOME_SHEET: SheetColumns = {
  columns: OUTCOME_COLUMNS,
  own: () => undefined,
  jurisdictions: new Set(),
};
