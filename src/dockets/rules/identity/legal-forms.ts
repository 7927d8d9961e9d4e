/** Legal forms of companies, as words behind (or before) their names. Each has one spelling here. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  inc: ['incorporated'],
  corp: ['corporation', 'corpn'],
  co: ['company', 'cie', 'cia'],
  ltd: ['limited', 'ltda', 'limitada'],
  llc: ['limited liability company', 'limited liability co'],
  llp: ['limited liability partnership'],
  lp: ['limited partnership'],
  plc: ['public limited company', 'public limited co'],
  pllc: [],
  lllp: [],
  pc: [],
  pty: ['proprietary'],
  pte: [],
  pvt: ['private'],
  gmbh: ['gesellschaft mit beschränkter haftung', 'gesellschaft mbh'],
  ag: ['aktiengesellschaft'],
  kg: ['kommanditgesellschaft'],
  kgaa: [],
  ohg: [],
  ug: [],
  ev: [],
  se: ['societas europaea'],
  sa: ['société anonyme', 'sociedad anónima', 'sociedade anônima'],
  sas: [],
  sasu: [],
  sarl: ['sàrl'],
  snc: [],
  spa: ['società per azioni'],
  srl: [],
  sl: [],
  slu: [],
  'sa de cv': ['sab de cv', 'sapi de cv'],
  's de rl de cv': ['srl de cv', 's de rl'],
  bv: ['besloten vennootschap'],
  nv: ['naamloze vennootschap'],
  ab: ['aktiebolag'],
  as: ['aksjeselskap'],
  asa: [],
  aps: [],
  oy: ['osakeyhtiö'],
  oyj: [],
  ou: ['oü'],
  uab: [],
  sia: [],
  doo: [],
  kft: [],
  zrt: [],
  nyrt: [],
  sro: [],
  'sp zoo': ['sp z oo', 'spzoo', 'spółka z ograniczoną odpowiedzialnością'],
  ooo: ['ооо'],
  pao: ['пао'],
  ao: ['ао'],
  kk: ['kabushiki kaisha', '株式会社', '株'],
  gk: ['godo kaisha', '合同会社'],
  yk: ['有限会社'],
  'co ltd': ['有限公司', '股份有限公司', '주식회사', '주'],
  sdn: [],
  bhd: ['berhad'],
  pt: [],
  tbk: [],
};

const FORMS = new Map(
  Object.entries(SPELLINGS).flatMap(([form, others]) =>
    [form, ...others].map((one) => [one.normalize('NFKC'), form] as const),
  ),
);
const WORDS_MAX = Math.max(...[...FORMS.keys()].map((one) => one.split(' ').length));
/** Written before the name in some languages; any other form before a name is a part of it. */
const LEADING = new Set(['ooo', 'pao', 'ao', 'pt', 'kk', 'gk', 'yk']);
/** Scripts without blanks: the form is glued to the name. */
const GLUED =
  /^(株式会社|合同会社|有限会社)|(株式会社|合同会社|有限会社|股份有限公司|有限公司|주식회사)$/u;

interface NamedForm {
  readonly words: readonly string[];
  /** In one spelling and order of writing; empty where none is stated. */
  readonly form: string;
  /** It is nothing but a legal form. */
  readonly isForm: boolean;
}

/** A name without its legal form. A name that is nothing else keeps it. */
export function withoutForm(all: readonly string[]): NamedForm {
  let words = all.flatMap((word) => word.replace(GLUED, ' $& ').split(' ')).filter(Boolean);
  const forms: string[] = [];
  for (let found = trailing(words); found !== undefined; found = trailing(words)) {
    forms.unshift(found.form);
    words = words.slice(0, -found.count);
    // "Contoso GmbH & Co. KG": the joint belongs to the form.
    while (words.length > 1 && words.at(-1) === 'and') words = words.slice(0, -1);
  }
  const first = FORMS.get(words[0] ?? '');
  if (words.length > 1 && first !== undefined && LEADING.has(first)) {
    forms.unshift(first);
    words = words.slice(1);
  }
  const form = [...new Set(forms.flatMap((one) => one.split(' ')))].join(' ');
  return { words, form, isForm: FORMS.has(words.join(' ')) };
}

function trailing(
  words: readonly string[],
): { readonly form: string; readonly count: number } | undefined {
  for (let count = Math.min(WORDS_MAX, words.length - 1); count > 0; count -= 1) {
    const form = FORMS.get(words.slice(-count).join(' '));
    if (form !== undefined) return { form, count };
  }
  return undefined;
}

/** Of letters that stand together: `contosoinc`. Short rests are words of their own, such as `zinc`. */
export function withoutGluedForm(joined: string): string | undefined {
  const found = /^(.{4,}?)(inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|plc)$/u.exec(
    joined,
  );
  return found?.[1];
}
