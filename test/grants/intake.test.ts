import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import { instant } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { appendMetadata, brokenAt } from '../../src/grants/rules/intake/metadata.ts';
import type { AwardFormat } from '../../src/grants/rules/intake/award-record.ts';
import {
  checkEnvelope,
  exceptionEnvelope,
  type ExceptionEnvelope,
} from '../../src/grants/rules/intake/exception-envelope.ts';
import { classifyFailure } from '../../src/grants/rules/intake/failures.ts';
import { ingestAward, type Ingested } from '../../src/grants/rules/intake/ingest.ts';
import { readAwards } from '../../src/grants/rules/intake/read-awards.ts';
import { grantsLaw } from '../law/grants-cases.ts';

const NOW = instant(Date.UTC(2026, 2, 1));

async function ingest(
  format: AwardFormat,
  text: string | Uint8Array,
  chunkBytes = 7,
): Promise<Ingested[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    chunks.push(bytes.subarray(at, at + chunkBytes));
  }
  const found: Ingested[] = [];
  for await (const record of readAwards(format, chunks)) {
    found.push(
      ingestAward(record, { tenant: 't', sourceDocument: 'doc-1', now: NOW, law: grantsLaw }),
    );
  }
  return found;
}

const award = {
  grantor_id: 'HHS',
  award_amount: 12500000,
  currency: 'USD',
  fiscal_year: 2026,
  compliance_tags: { program: 'ryan-white' },
  federal_alignment: true,
  funder_type: 'government',
  benefit: 'public',
  assistance_listing: '93.914',
  period_start: '2026-01-01',
  period_end: '2026-12-31',
  terms: { offset_days: { 'sf425.final': 90 }, roll_forward: true },
};

function without(...names: string[]): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(award).filter(([name]) => !names.includes(name)));
}

function codes(found: Ingested | undefined): string[] {
  if (found === undefined || found.kind === 'accepted') return ['accepted'];
  return [found.kind, ...found.violations.map(({ code, field }) => `${code} ${field}`)];
}

describe('the same award in every format', () => {
  const csv = [
    'grantor_id,award_amount,currency,fiscal_year,compliance_tags.program,federal_alignment,funder_type,benefit,assistance_listing,period_start,period_end,terms.offset_days.sf425.final,terms.roll_forward,purpose',
    'HHS,12500000,USD,2026,ryan-white,true,government,public,93.914,2026-01-01,2026-12-31,90,true,',
    '',
  ].join('\r\n');
  const xml = `<?xml version="1.0"?><awards><award><grantor_id>HHS</grantor_id><award_amount>12500000</award_amount>
    <currency>USD</currency><fiscal_year>2026</fiscal_year><compliance_tags><program>ryan-white</program></compliance_tags>
    <federal_alignment>true</federal_alignment><funder_type>government</funder_type><benefit>public</benefit>
    <assistance_listing>93.914</assistance_listing><period_start>2026-01-01</period_start><period_end>2026-12-31</period_end>
    <terms><offset_days><sf425.final>90</sf425.final></offset_days><roll_forward>true</roll_forward></terms></award></awards>`;

  it('has the same payload, hash, key and mapping, in chunks of one byte too', async () => {
    const texts: [AwardFormat, string][] = [
      ['json', JSON.stringify(award, null, 2)],
      ['json', JSON.stringify({ awards: [award] })],
      ['ndjson', `\n${JSON.stringify(award)}\n`],
      ['csv', csv],
      ['csv', `\uFEFF${csv}`],
      ['xml', xml],
    ];
    const seen = new Set<string>();
    for (const [format, text] of texts) {
      for (const size of [1, 4096]) {
        const [found, ...others] = await ingest(format, text, size);
        expect(others).toEqual([]);
        expect(codes(found), `${format} ${JSON.stringify(found)}`).toEqual(['accepted']);
        if (found?.kind !== 'accepted') continue;
        seen.add(JSON.stringify([found.metadata, found.mapping]));
        expect(found.payload).toEqual(award);
        expect(found.mapping?.element).toBe('GovernmentGrantsAmt');
      }
    }
    expect(seen.size).toBe(1);
  });

  it('is stamped with what the next boundaries need', async () => {
    const [found] = await ingest('json', JSON.stringify(award));
    expect(found?.metadata).toMatchObject({
      idempotency_key: expect.stringMatching(/^fw1-[0-9a-f]{32}$/),
      ingestion_timestamp: '2026-03-01T00:00:00.000Z',
      boundary: 'ingestion',
      compliance_state: 'validated_transient_retry_eligible',
      attempt_count: 0,
      payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      mapping_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe('identity', () => {
  it('equal awards on two lines are two awards; reading again gives the same keys', async () => {
    const two = `${JSON.stringify(award)}\n${JSON.stringify(award)}\n`;
    const keys = (await ingest('ndjson', two)).map(({ metadata }) => metadata.idempotency_key);
    expect(new Set(keys).size).toBe(2);
    const again = (await ingest('ndjson', two, 3)).map(({ metadata }) => metadata.idempotency_key);
    expect(again).toEqual(keys);
  });
});

describe('what is refused, with every reason at once', () => {
  it('names the line of the file, not of the record', async () => {
    const good = JSON.stringify(award);
    const [, second] = await ingest(
      'ndjson',
      `${good}\n${good.replace('{', '{"grantor_id":"X",')}\n`,
    );
    expect(second).toMatchObject({
      violations: [{ message: 'expected strict JSON, found at line 2, column 19: duplicate key' }],
    });
  });

  it.each<[string, string, string[]]>([
    [
      'a float',
      JSON.stringify({ ...award, award_amount: 1.5 }),
      ['quarantined', 'MONEY_NOT_CENTS ', 'MONEY_NOT_CENTS award_amount'],
    ],
    [
      'a whole float',
      JSON.stringify(award).replace('12500000', '12500000.0'),
      ['quarantined', 'MONEY_NOT_CENTS '],
    ],
    [
      'an exponent',
      JSON.stringify(award).replace('12500000', '125e5'),
      ['quarantined', 'MONEY_NOT_CENTS '],
    ],
    ['NaN', JSON.stringify(award).replace('12500000', 'NaN'), ['quarantined', 'NOT_A_NUMBER ']],
    [
      'a duplicate key',
      JSON.stringify(award).replace('{', '{"grantor_id":"X",'),
      ['quarantined', 'DUPLICATE_KEY '],
    ],
    [
      'a text for money',
      JSON.stringify({ ...award, award_amount: '12500000' }),
      ['quarantined', 'MONEY_NOT_CENTS award_amount'],
    ],
    [
      'another currency',
      JSON.stringify({ ...award, currency: 'EUR' }),
      ['refused', 'WRONG_CURRENCY currency'],
    ],
    [
      'nothing in it',
      '{}',
      [
        'refused',
        'MISSING grantor_id',
        'MISSING award_amount',
        'MISSING currency',
        'MISSING fiscal_year',
        'MISSING compliance_tags',
      ],
    ],
    [
      'no classification',
      JSON.stringify(without('benefit')),
      ['refused', 'CLASSIFICATION_MISSING benefit'],
    ],
    [
      'no funder',
      JSON.stringify(without('funder_type')),
      ['refused', 'CLASSIFICATION_MISSING funder_type'],
    ],
    [
      'many faults',
      JSON.stringify({
        ...award,
        fiscal_year: 1066,
        uei: 'short',
        period_end: '2025-02-30',
        colour: 1,
      }),
      [
        'refused',
        'NOT_ALLOWED fiscal_year',
        'NOT_ALLOWED period_end',
        'UNKNOWN_FIELD colour',
        'NOT_ALLOWED uei',
      ],
    ],
    [
      'nested and dotted',
      JSON.stringify({ ...award, 'terms.roll_forward': false }),
      ['quarantined', 'DUPLICATE_KEY terms.roll_forward'],
    ],
    ['null', JSON.stringify({ ...award, award_id: null }), ['refused', 'WRONG_TYPE award_id']],
    [
      'tags as a list, which no field could keep',
      JSON.stringify({ ...award, compliance_tags: ['ryan-white'] }),
      ['refused', 'WRONG_TYPE compliance_tags'],
    ],
    [
      'a UEI with nine digits in a row',
      JSON.stringify({ ...award, uei: 'A12345678901' }),
      ['refused', 'NOT_ALLOWED uei'],
    ],
    [
      'a fiscal year that ends on no day',
      JSON.stringify({ ...award, fiscal_year_end: '02-30' }),
      ['refused', 'NOT_ALLOWED fiscal_year_end'],
    ],
    [
      'a period of centuries, which would stop every calendar',
      JSON.stringify({ ...award, period_end: '2226-12-31' }),
      ['refused', 'NOT_ALLOWED period_end'],
    ],
  ])('%s', async (_, text, expected) => {
    const [found] = await ingest('json', text);
    expect([...codes(found)].sort()).toEqual([...expected].sort());
    expect(found?.metadata.compliance_state).not.toBe('validated_transient_retry_eligible');
  });

  it('half a document is no award and no question: it is refused as a whole', async () => {
    for (const format of ['json', 'ndjson'] as const) {
      await expect(ingest(format, JSON.stringify(award).slice(0, 50))).rejects.toThrow(
        'the end of',
      );
    }
  });

  it.each(['02-28', '02-29', '06-30', '12-31'])('but not a year that ends on %s', async (end) => {
    const [found] = await ingest('json', JSON.stringify({ ...award, fiscal_year_end: end }));
    expect(codes(found)).toEqual(['accepted']);
  });

  it('text where only tags by name can stand, in CSV and XML', async () => {
    const [row] = await ingest(
      'csv',
      'grantor_id,award_amount,currency,fiscal_year,compliance_tags\nA,125,USD,2026,ryan-white\n',
    );
    expect(codes(row)).toEqual(['refused', 'WRONG_TYPE compliance_tags']);
    await expect(
      ingest(
        'xml',
        '<awards><award><compliance_tags>ryan-white</compliance_tags></award></awards>',
      ),
    ).rejects.toThrow(/text between elements/);
  });

  it.each(['1.5', '125e5', '-0'])('%s in one award of a list leaves the others', async (number) => {
    const good = JSON.stringify({ ...award, purpose: 'about 1.5 and [1e3], "-0"' });
    const bad = JSON.stringify(award).replace('12500000', number);
    for (const text of [`[${good},${bad},${good}]`, `{"awards":[${good}, ${bad} ,${good}]}`]) {
      expect((await ingest('json', text)).map(({ kind }) => kind)).toEqual([
        'accepted',
        'quarantined',
        'accepted',
      ]);
    }
  });

  it('one bad line of NDJSON leaves the others', async () => {
    const text = `${JSON.stringify(award)}\n{bad\n${JSON.stringify(award)}`;
    expect((await ingest('ndjson', text)).map(({ kind, line }) => `${kind} ${line}`)).toEqual([
      'accepted 1',
      'refused 2',
      'accepted 3',
    ]);
  });

  it.each<[AwardFormat, string, RegExp]>([
    ['csv', 'grantor_id,grantor_id\nA,B\n', /line 1.*twice/],
    ['csv', 'grantor_id\n"open', /quote .*opened on line 2 is not/],
    ['csv', 'grantor_id\n"a"b\n', /line 2.*closing quote/],
    ['csv', '', /names of the columns/],
    ['xml', '<!DOCTYPE a [<!ENTITY b "c">]><awards/>', /DOCTYPE/],
    ['xml', '<awards><award><a>&lol;</a></award></awards>', /line 1/],
    ['xml', `<awards><award>${'<a>'.repeat(1000)}`, /line 1, .*at most 6 deep/],
    ['xml', `<awards><award><a>${'x'.repeat(20_000)}</a>`, /more than 10000 characters/],
    [
      'xml',
      `<awards><award><${'x'.repeat(1_200_000)}`,
      /at most 65536 characters, but one is longer/,
    ],
    ['xml', '<awards><award>', /./],
    ['xml', '<?xml version="1.0" encoding="ISO-8859-1"?><awards/>', /declares "ISO-8859-1"/],
    ['xml', '<awards><award a="1"/></awards>', /attributes/],
  ])('a broken %s document: %#', async (format, text, message) => {
    const failure = await ingest(format, text, 4096).then(
      () => 'no refusal',
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(FilewrightError);
    expect(String(failure)).toMatch(message);
  });

  it('bytes that are not UTF-8', async () => {
    await expect(ingest('csv', Uint8Array.of(0xff, 0xfe, 0x41))).rejects.toThrow(/UTF-8/);
  });

  it('money with a point in CSV and an element that appears twice in XML', async () => {
    const [row] = await ingest(
      'csv',
      'grantor_id,award_amount,currency,fiscal_year,compliance_tags\nA,125.00,USD,2026,\n',
    );
    expect(codes(row)).toEqual(['quarantined', 'MONEY_NOT_CENTS award_amount']);
    const [element] = await ingest(
      'xml',
      '<awards><award><grantor_id>A</grantor_id><grantor_id>B</grantor_id><award_amount>5</award_amount><currency>USD</currency><fiscal_year>2026</fiscal_year><compliance_tags/></award></awards>',
    );
    expect(codes(element)).toEqual(['quarantined', 'DUPLICATE_KEY grantor_id']);
  });
});

describe('the original that a person gets', () => {
  const originalOf = (found: Ingested | undefined): JsonValue | undefined =>
    found === undefined || found.kind === 'accepted' ? undefined : found.original;

  it.each(['125e5', '12500000.0', '-0', '900719925474099312345'])(
    'still spells the number %s, alone, on a line and in a list',
    async (number) => {
      const spelt = JSON.stringify(award).replace('12500000', number);
      const good = JSON.stringify({ ...award, grantor_id: 'a,]}"[{' });
      const alone = await ingest('json', ` ${spelt}\n`);
      const line = await ingest('ndjson', `${good}\n${spelt}`);
      const list = await ingest('json', `[${good}, ${spelt}]`);
      const named = await ingest('json', `{"awards": [${spelt} ,${good}]}`);
      const found = [alone[0], line[1], list[1], named[0]];
      expect(found.map(originalOf)).toEqual([spelt, spelt, spelt, spelt]);
    },
  );

  it('is whole, however long the document is that cannot be read', async () => {
    const text = `{"purpose":"${'x'.repeat(30_000)}","purpose":"y"}`;
    expect(originalOf((await ingest('json', text, 4096))[0])).toBe(text);
  });

  it('has every value of an element that stands more than once', async () => {
    const text =
      '<awards><award><grantor_id>A</grantor_id><grantor_id>B</grantor_id><grantor_id>C</grantor_id><currency>USD</currency></award></awards>';
    expect(originalOf((await ingest('xml', text))[0])).toEqual({
      grantor_id: ['A', 'B', 'C'],
      currency: 'USD',
    });
  });
});

describe('the failure taxonomy', () => {
  it.each([400, 401, 403, 404, 422, 500])('%i never reaches the retry queue', (status) => {
    expect(classifyFailure({ kind: 'http', status })).toMatchObject({
      kind: 'permanent',
      route: 'compliance_exception_ledger',
    });
  });

  it.each([429, 502, 503])('%i is tried again', (status) => {
    expect(classifyFailure({ kind: 'http', status }).route).toBe('retry_queue');
  });

  it('names DNS and TLS, and sends what it does not know to a person', () => {
    const of = (code: string): string => {
      const { kind, code: said } = classifyFailure({ kind: 'network', code });
      return `${kind} ${said}`;
    };
    expect(of('ENOTFOUND')).toBe('transient DNS_FAILURE');
    expect(of('ERR_TLS_HANDSHAKE_TIMEOUT')).toBe('transient TLS_TIMEOUT');
    expect(of('CERT_HAS_EXPIRED')).toBe('permanent NETWORK_CERT_HAS_EXPIRED');
    expect(classifyFailure({ kind: 'schema', codes: [] }).route).toBe(
      'compliance_exception_ledger',
    );
  });
});

describe('metadata and the exception envelope', () => {
  it('updates are appended, and a changed record is noticed', async () => {
    const [found] = await ingest('json', JSON.stringify(award));
    if (found === undefined) throw new Error('nothing was read');
    const first = found.metadata;
    const second = appendMetadata(first, {
      boundary: 'reconciliation',
      compliance_state: 'reconciling',
      attempt_count: 1,
    });
    expect(brokenAt([first, second])).toBeUndefined();
    expect(Object.isFrozen(first)).toBe(true);
    expect(brokenAt([{ ...first, attempt_count: 9 }, second])).toBe(1);
    expect(
      brokenAt([first, { ...second, payload_hash: first.mapping_hash ?? first.payload_hash }]),
    ).toBe(1);
  });

  it('the envelope has the whole history, cannot be changed, and says so when it was', async () => {
    const [found] = await ingest('json', JSON.stringify({ ...award, award_amount: 1.5 }));
    if (found === undefined || found.kind === 'accepted') throw new Error('it was accepted');
    const tried = {
      attempt_count: 3,
      last_error_code: 'HTTP_503',
      retry_deadline: '2026-03-01T00:15:00.000Z',
      payload_hash: found.metadata.payload_hash,
      at: '2026-03-01T00:00:09.000Z',
    };
    const envelope = exceptionEnvelope({
      originalPayload: found.original,
      metadata: found.metadata,
      escalationCode: 'RETRY_EXHAUSTED_PERMANENT_FAILURE',
      auditTrail: [tried],
      violations: found.violations,
      at: NOW,
    });
    expect(envelope).toMatchObject({
      original_payload: { award_amount: 1.5 },
      compliance_metadata: {
        boundary: 'fallback',
        compliance_state: 'manual_review_required',
        escalation_code: 'RETRY_EXHAUSTED_PERMANENT_FAILURE',
        attempt_count: 3,
        audit_trail: [tried],
      },
      routing_target: 'compliance_exception_dlq',
      immutable: true,
      violation_codes: ['MONEY_NOT_CENTS'],
    });
    expect(() => checkEnvelope(envelope)).not.toThrow();
    expect(() => {
      Object.assign(envelope.compliance_metadata, { attempt_count: 0 });
    }).toThrow(TypeError);
    const forged = { ...envelope, original_payload: {} } as ExceptionEnvelope;
    expect(() => checkEnvelope(forged)).toThrow(/expected the hash/);
  });
});
