// Writes samples/messy-register.csv: 500 entities as an office keeps them in its spreadsheet, with what goes wrong there.
// The same bytes each time; test/sheet/walk.test.ts holds the shipped file against this.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const STATES = [
  'Nevada',
  'DE',
  'Calif.',
  'New York',
  'TX',
  'Florida',
  'State of Ohio',
  'Wash.',
  'Illinois',
  'N.J.',
  'Georgia',
  'Mass.',
  'US-CO',
  'Virginia',
  'Penn.',
  'Oregon',
];
const KINDS = [
  'LLC',
  'L.L.C.',
  'Limited Liability Company',
  'Corp',
  'Corporation',
  'Inc.',
  'C-Corp',
];
const NAMES = [
  'Alder',
  'Basalt',
  'Ceñal',
  'Dürer',
  'Émile',
  'Fjord',
  'Gneiss',
  'O’Hara',
  'Smith & Sons',
  'Big "D"',
];
const YEAR_ENDS = ['12/31', 'June 30', '30-Sep', '12-31'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Which rows are wrong, and how; everything else can be read. */
export const WRONG = {
  'File No.': { 17: '4.81E+11', 118: '4.81E+11', 219: '#REF!', 320: '' },
  'Date Formed': { 44: '2/30/2015', 145: 'before 1999', 246: '#N/A' },
  'Entity Type': { 71: 'GmbH', 172: 'Trust' },
  State: { 99: 'Nevda', 200: 'Puerto Rico' },
};

/** The sample has 500; a walk may be longer. */
export function messyRegister(count = 500) {
  const head = [
    'Entity Name',
    'State',
    'File No.',
    'Entity Type',
    'Domestic/Foreign',
    'Date Formed',
    'FYE',
    'Registered Agent',
    'Client Notes',
  ];
  const rows = Array.from({ length: count }, (_, n) => {
    const cells = [
      `${NAMES[n % NAMES.length]} ${n}, ${KINDS[n % KINDS.length]}`,
      STATES[n % STATES.length],
      n % 5 === 0 ? `00${1000 + n}` : `E${100000 + n}`,
      KINDS[n % KINDS.length],
      n % 3 === 0 ? 'Foreign' : 'Domestic',
      formed(n),
      YEAR_ENDS[n % YEAR_ENDS.length],
      n % 4 === 0 ? '' : 'Registered Agents, Inc.',
      n % 7 === 0 ? 'ask Bob; call back' : '',
    ];
    return cells.map((cell, at) => WRONG[head[at]]?.[n] ?? cell);
  });
  const lines = [
    ['Portfolio of Smith & Partners, as of 11/15/2026'],
    [],
    head,
    ...rows,
    ['Total', '', String(count)],
  ].map((cells) => head.map((_, at) => quoted(cells[at] ?? '')).join(','));
  // A spreadsheet program of this country saves so; the characters are those of Windows-1252.
  return Buffer.from(`${lines.join('\r\n')}\r\n`.replaceAll('’', '\x92'), 'latin1');
}

function formed(n) {
  const [year, month, day] = [1980 + (n % 45), n % 12, 1 + (n % 28)];
  if (n % 6 === 0) return `${day}-${MONTHS[month]}-${String(year).slice(2)}`;
  if (n % 6 === 1) return `${MONTHS[month]} ${day}, ${year}`;
  return `${month + 1}/${day}/${year}`;
}

function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const path = fileURLToPath(import.meta.url);
if (process.argv[1] === path) {
  writeFileSync(
    fileURLToPath(new URL('../samples/messy-register.csv', import.meta.url)),
    messyRegister(),
  );
}
