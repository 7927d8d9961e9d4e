/** The items of the SF-425 around section 10: what the award says of them, and who fills in what it does not say. */
import type { JsonValue } from '../../../core/index.ts';
import type { AcceptedAward } from '../intake/ingest.ts';

export interface Sf425Item {
  readonly item: string;
  readonly title: string;
  /** Empty where nobody has said it. */
  readonly value: string;
  /** Who says it: the award document, who asked for the report, the books, or a person when it is filed. */
  readonly from: 'award' | 'request' | 'books' | 'person';
}

/** Items of the form, by what of the award fills them. */
const FROM_AWARD: readonly (readonly [string, string, (payload: Payload) => string])[] = [
  [
    '1',
    'Federal agency and organizational element',
    (of) => text(of, 'agency') || text(of, 'grantor_name'),
  ],
  [
    '2',
    'Federal grant or other identifying number',
    (of) => text(of, 'fain') || text(of, 'award_id'),
  ],
  ['3', 'Recipient organization', recipient],
  ['4a', 'UEI', (of) => text(of, 'uei')],
  ['4b', 'EIN', (of) => text(of, 'recipient_ein')],
  ['5', 'Recipient account or identifying number', (of) => text(of, 'recipient_account')],
  ['7', 'Basis of accounting', (of) => text(of, 'accounting_basis')],
  ['8 from', 'Project or grant period, from', (of) => text(of, 'period_start')],
  ['8 to', 'Project or grant period, to', (of) => text(of, 'period_end')],
];

type Payload = AcceptedAward['payload'];

/** In the order of the form; `awards`: the records of one award that stand, of which not every one says everything. */
export function sf425Items(
  awards: readonly AcceptedAward[],
  days: { readonly to: string },
): readonly Sf425Item[] {
  const saidBy = (read: (payload: Payload) => string): string =>
    awards.map(({ payload }) => read(payload)).find((value) => value !== '') ?? '';
  const items = FROM_AWARD.map(([item, title, read]): Sf425Item => {
    const value = saidBy(read);
    return { item, title, value, from: value === '' ? 'person' : 'award' };
  });
  const end = saidBy((payload) => text(payload, 'period_end'));
  const type: Sf425Item = {
    item: '6',
    title: 'Report type',
    value: end !== '' && end <= days.to ? 'final' : saidBy((of) => text(of, 'reporting_frequency')),
    from: 'award',
  };
  const typed = type.value === '' ? { ...type, from: 'person' as const } : type;
  const place = items.findIndex(({ item }) => item === '7');
  return [
    ...items.slice(0, place),
    typed,
    ...items.slice(place),
    { item: '9', title: 'Reporting period end date', value: days.to, from: 'request' },
    ...indirectItems(awards),
    { item: '12', title: 'Remarks', value: '', from: 'person' },
    ...['name', 'title', 'signature', 'telephone', 'email', 'date'].map(
      (word): Sf425Item => ({
        item: `13 ${word}`,
        title: `Certification, ${word}`,
        value: '',
        from: 'person',
      }),
    ),
  ];
}

/** Line 11: the type and the rate stand in the award; the base and the shares are in the books. */
function indirectItems(awards: readonly AcceptedAward[]): readonly Sf425Item[] {
  const terms = awards.map(({ payload }) => payload['terms']).filter(isObject);
  const said = (name: string): JsonValue | undefined =>
    terms.map((one) => one[name]).find((value) => value !== undefined);
  const type = said('indirect_type');
  const rate = indirectRate(awards);
  return [
    item('11a', 'Indirect expense, type', typeof type === 'string' ? type : ''),
    item('11b', 'Indirect expense, rate in percent', rate === undefined ? '' : percent(rate)),
    { item: '11c', title: 'Indirect expense, period from and to', value: '', from: 'person' },
  ];
}

function item(name: string, title: string, value: string): Sf425Item {
  return { item: name, title, value, from: value === '' ? 'person' : 'award' };
}

/** In hundredths of a percent, as the award says it. */
export function indirectRate(awards: readonly AcceptedAward[]): number | undefined {
  return awards
    .map(({ payload }) => payload['terms'])
    .filter(isObject)
    .map(({ indirect_rate: rate }) => rate)
    .find((rate) => typeof rate === 'number');
}

function percent(hundredths: number): string {
  const fraction = String(hundredths % 100).padStart(2, '0');
  return `${Math.floor(hundredths / 100)}.${fraction}`;
}

function recipient(payload: Payload): string {
  const place = [text(payload, 'recipient_state'), text(payload, 'recipient_zip')]
    .filter((word) => word !== '')
    .join(' ');
  return [
    text(payload, 'recipient_name'),
    text(payload, 'recipient_address'),
    text(payload, 'recipient_city'),
    place,
  ]
    .filter((word) => word !== '')
    .join(', ');
}

function text(payload: Payload, field: string): string {
  const value = payload[field];
  return typeof value === 'string' ? value : '';
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a person must still find out, in one sentence; none where the award says everything. */
export function missingItems(items: readonly Sf425Item[]): readonly string[] {
  const missing = items
    .filter(({ value, from, item }) => value === '' && from === 'person' && /^\d[a-c]?$/.test(item))
    .filter(({ item }) => item !== '5' && item !== '12')
    .map(({ item, title }) => `${item} (${title})`);
  return missing.length === 0
    ? []
    : [
        `The award does not give items ${missing.join(', ')}: fill them in, or add them with grants amend`,
      ];
}
