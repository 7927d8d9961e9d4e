/** Figures for auditors, as JSON and as rows. Rows are cells, not text: whoever writes a table neutralises formulas. */
import { canonicalBytes, type JsonValue, type Sha256Hex, sha256Of } from '../../../core/index.ts';
import { type Figure, traceDocument, traceOf } from './figure.ts';
import { reportRows, scheduleCounts, type Schedules } from './report-rows.ts';

interface ReportDocument {
  readonly document: JsonValue;
  /** Of the document in canonical JSON: the same figures from the same money give the same hash. */
  readonly hash: Sha256Hex;
}

/** `asked`: the days, and the award where it is about one; without them nobody could tell last year's report from this one. */
export function reportDocument(
  name: string,
  asked: Readonly<Record<string, string>>,
  drawn: Schedules & { readonly figures: readonly Figure[]; readonly remarks: readonly string[] },
): ReportDocument {
  const { figures, remarks } = drawn;
  const rows = reportRows(drawn);
  const counts = scheduleCounts(drawn);
  const document = {
    report: name,
    asked,
    figures: figures.map((figure) => ({
      name: figure.name,
      line: figure.line,
      xpath: figure.xpath ?? null,
      dollars: String(figure.dollars),
      cents: String(figure.cents),
      trace: traceDocument(figure),
    })),
    ...(rows !== undefined && { rows }),
    ...(counts !== undefined && { counts }),
    remarks,
  };
  return { document, hash: sha256Of(canonicalBytes(document)) };
}

type Cells = readonly (string | number | undefined)[];

export function figureRows(figures: readonly Figure[]): readonly Cells[] {
  return [
    ['figure', 'line', 'xpath', 'dollars', 'cents'],
    ...figures.map(({ name, line, xpath, dollars, cents }) => [
      name,
      line,
      xpath,
      String(dollars),
      String(cents),
    ]),
  ];
}

/** One row for each part and bank line; the cents of a part stand only in its first row, so that the column adds up. */
export function traceRows(figure: Figure): readonly Cells[] {
  const rows: Cells[] = [
    [
      'path',
      'part',
      'cents',
      'rule',
      'payload_hash',
      'bank_line',
      'native_id',
      'booked_on',
      'feed',
      'feed_line',
    ],
  ];
  for (const { path, sign, part } of traceOf(figure)) {
    const cells = [
      path.join(' > '),
      part.id,
      String(BigInt(sign) * part.cents),
      part.matchRule,
      part.payloadHash,
    ];
    if (part.bank.length === 0) rows.push([...cells, '', '', '', '', '']);
    for (const [index, { line, nativeId, bookedOn, source }] of part.bank.entries()) {
      const own = index === 0 ? cells : [cells[0], cells[1], '', cells[3], cells[4]];
      rows.push([...own, line, nativeId, bookedOn, source.feed, source.line]);
    }
  }
  return rows;
}
