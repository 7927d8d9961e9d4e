// Writes samples/messy-filings.csv: the filings of a year in 51 jurisdictions, as an office keeps them in its spreadsheet, with what
// goes wrong there. The same bytes each time; test/hand/done.test.ts takes it from here to filings that can be defended.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  );
/** Those of an office that writes most of them as the post does. */
const SPELLED = {
  AL: 'Ala.',
  CA: 'Calif.',
  CO: 'Colo.',
  CT: 'Conn.',
  DE: 'Delaware',
  DC: 'D.C.',
  FL: 'Fla.',
  HI: 'Hawai’i',
  IL: 'Illinois',
  KS: 'Kans.',
  KY: 'Commonwealth of Kentucky',
  MA: 'Mass.',
  MI: 'Mich.',
  MN: 'Minn.',
  NV: 'Nevada',
  NJ: 'N.J.',
  NY: 'New York',
  OH: 'State of Ohio',
  OK: 'Okla.',
  OR: 'US-OR',
  PA: 'Penn.',
  RI: 'rhode island',
  TX: 'Texas',
  VA: 'VIRGINIA',
  WA: 'Wash.',
  WV: 'W. Va.',
  WI: 'Wis.',
};
const NAMES = ['Alder', 'Basalt', 'Ceñal', 'Dürer', 'Émile', 'Fjord', 'O’Hara', 'Smith & Sons'];
const ENDINGS = ['LLC', 'L.L.C.', 'Inc.', 'Corp.', 'Ltd.'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HEAD = [
  'Legal Name',
  'State',
  'SOS Number',
  'Filing Type',
  'Year',
  'Filing Deadline',
  'State Fee',
  'Signed By',
  'Client Notes',
];
export const ROWS = STATES.length * 3;

/** Which rows are wrong, and how; the third of a state each, so that every state keeps two. */
export const WRONG = {
  'SOS Number': { 104: '4.81E+11', 111: '#REF!' },
  'Filing Deadline': { 117: '2/30/2029', 123: 'soon' },
  'State Fee': { 131: 'see Bob' },
  State: { 140: 'Nevda' },
};

export function messyFilings() {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const state = STATES[n % STATES.length];
    const cells = [
      `${NAMES[n % NAMES.length]} ${n}, ${ENDINGS[n % ENDINGS.length]}`,
      SPELLED[state] ?? state,
      n % 5 === 0 ? `00${4000 + n}` : `E${400000 + n}`,
      kindOf(state),
      '2029',
      due(n),
      fee(n),
      n % 4 === 0 ? 'Ana María Peña' : 'J. O’Hara',
      n % 7 === 0 ? 'ask Bob, then call back' : '',
    ];
    return cells.map((cell, at) => WRONG[HEAD[at]]?.[n] ?? cell);
  });
  const lines = [
    ['Annual filings of Smith & Partners, as of 11/15/2026'],
    [],
    HEAD,
    ...rows,
    ['Total', '', '', '', '', '', `$${ROWS}.00`],
  ].map((cells) => HEAD.map((_, at) => quoted(cells[at] ?? '')).join(','));
  // A spreadsheet program of this country saves so; the characters are those of Windows-1252.
  return Buffer.from(`${lines.join('\r\n')}\r\n`.replaceAll('’', '\x92'), 'latin1');
}

/** What the office of the state calls its report: the first of the shipped lane. */
function kindOf(state) {
  const path = new URL(`../profiles/by-hand/us-${state.toLowerCase()}.json`, import.meta.url);
  const { byHand } = JSON.parse(readFileSync(path, 'utf8'));
  const words = (byHand.kinds[0]?.kind ?? 'annual_report').split('_');
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join(' ');
}

function due(n) {
  const [month, day] = [n % 12, 1 + (n % 28)];
  if (n % 6 === 0) return `${day}-${MONTHS[month]}-29`;
  if (n % 6 === 1) return `${MONTHS[month]} ${day}, 2029`;
  return `${month + 1}/${day}/2029`;
}

function fee(n) {
  const dollars = [25, 50, 150, 225, 350, 1050][n % 6];
  if (n % 3 === 0) return `$${dollars.toLocaleString('en-US')}.00`;
  return n % 3 === 1 ? String(dollars) : `${dollars}.00`;
}

function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const path = fileURLToPath(import.meta.url);
if (process.argv[1] === path) {
  const target = new URL('../samples/messy-filings.csv', import.meta.url);
  writeFileSync(fileURLToPath(target), messyFilings());
}
