/** The states as people write them: by name, by postal code, by the older abbreviation. */

// Longer is no name; it also bounds the work.
const CHARACTERS_MAX = 60;

const STATES: readonly (readonly [code: string, name: string, ...also: string[]])[] = [
  ['AL', 'Alabama', 'Ala'],
  ['AK', 'Alaska'],
  ['AZ', 'Arizona', 'Ariz'],
  ['AR', 'Arkansas', 'Ark'],
  ['CA', 'California', 'Calif', 'Cal'],
  ['CO', 'Colorado', 'Colo'],
  ['CT', 'Connecticut', 'Conn'],
  ['DE', 'Delaware', 'Del'],
  ['DC', 'District of Columbia', 'Washington DC'],
  ['FL', 'Florida', 'Fla'],
  ['GA', 'Georgia'],
  ['HI', 'Hawaii', "Hawai'i"],
  ['ID', 'Idaho'],
  ['IL', 'Illinois', 'Ill'],
  ['IN', 'Indiana', 'Ind'],
  ['IA', 'Iowa'],
  ['KS', 'Kansas', 'Kan', 'Kans'],
  ['KY', 'Kentucky'],
  ['LA', 'Louisiana'],
  ['ME', 'Maine'],
  ['MD', 'Maryland'],
  ['MA', 'Massachusetts', 'Mass'],
  ['MI', 'Michigan', 'Mich'],
  ['MN', 'Minnesota', 'Minn'],
  ['MS', 'Mississippi', 'Miss'],
  ['MO', 'Missouri'],
  ['MT', 'Montana', 'Mont'],
  ['NE', 'Nebraska', 'Neb', 'Nebr'],
  ['NV', 'Nevada', 'Nev'],
  ['NH', 'New Hampshire'],
  ['NJ', 'New Jersey'],
  ['NM', 'New Mexico', 'N Mex'],
  ['NY', 'New York'],
  ['NC', 'North Carolina', 'N Car'],
  ['ND', 'North Dakota', 'N Dak'],
  ['OH', 'Ohio'],
  ['OK', 'Oklahoma', 'Okla'],
  ['OR', 'Oregon', 'Ore', 'Oreg'],
  ['PA', 'Pennsylvania', 'Penn', 'Penna'],
  ['RI', 'Rhode Island'],
  ['SC', 'South Carolina', 'S Car'],
  ['SD', 'South Dakota', 'S Dak'],
  ['TN', 'Tennessee', 'Tenn'],
  ['TX', 'Texas', 'Tex'],
  ['UT', 'Utah'],
  ['VT', 'Vermont'],
  ['VA', 'Virginia'],
  ['WA', 'Washington', 'Wash'],
  ['WV', 'West Virginia', 'W Va'],
  ['WI', 'Wisconsin', 'Wis', 'Wisc'],
  ['WY', 'Wyoming', 'Wyo'],
];

const CODES: ReadonlyMap<string, string> = new Map(
  STATES.flatMap(([code, ...names]) =>
    [code, `US${code}`, ...names].map((name): [string, string] => [lettersOf(name), `US-${code}`]),
  ),
);

/** `Nevada`, `NV`, `Nev.` and `State of Nevada` are US-NV; undefined where it is none. */
export function stateCode(text: string): string | undefined {
  const letters = lettersOf(text);
  return CODES.get(letters) ?? CODES.get(letters.replace(/^(?:stateof|commonwealthof)/, ''));
}

function lettersOf(text: string): string {
  return text
    .slice(0, CHARACTERS_MAX)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
