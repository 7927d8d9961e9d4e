import { describe, expect, it } from 'vitest';
import { dayText, eventsOf, fixture, linesOf, refusalOf } from './support.ts';

const reco = fixture('reco-001.camt053.xml').toString();

function message(statement: string, version = '08'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>M</MsgId></GrpHdr>
<Stmt><Id>S</Id>${statement}</Stmt>
</BkToCstmrStmt></Document>`;
}
const ACCOUNT = '<Acct><Id><Othr><Id>1</Id></Othr></Id><Ccy>USD</Ccy></Acct>';
const entry = (inner: string, amount = '1.00'): string =>
  `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><ValDt><Dt>2026-03-02</Dt></ValDt>${inner}</Ntry>`;

describe('camt.053', () => {
  it('reads a prefix for the namespace, and leaves out what is of another one', async () => {
    const prefixed = reco
      .replace('xmlns=', 'xmlns:d=')
      .replaceAll(/<(\/?)([A-Z])/g, '<$1d:$2')
      .replace('</d:Acct>', '</d:Acct><x:Bal xmlns:x="u"><x:Ntry>1</x:Ntry></x:Bal>');
    const without = (events: Awaited<ReturnType<typeof eventsOf>>) =>
      events.map((event) => ({ ...event, place: undefined }));
    expect(without(await eventsOf(prefixed))).toEqual(without(await eventsOf(reco)));
  });

  it('one entry may hold many payments', async () => {
    const payment = (at: number): string =>
      `<TxDtls><Refs><EndToEndId>E2E-${at}</EndToEndId></Refs><Amt Ccy="USD">${at}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><RltdPties><Dbtr><Nm>Payer ${at}</Nm></Dbtr></RltdPties><RmtInf><Ustrd>for 2026-${at}</Ustrd></RmtInf></TxDtls>`;
    const batch = `<NtryDtls>${[1, 2, 3].map(payment).join('')}</NtryDtls><AddtlNtryInf>SUMMARY DEPOSIT</AddtlNtryInf>`;
    const [line] = await linesOf(message(ACCOUNT + entry(batch, '6.00')));
    expect(line).toMatchObject({
      amountCents: 600,
      counterparty: undefined,
      description: 'SUMMARY DEPOSIT',
      references: ['E2E-1', '2026-1', 'E2E-2', '2026-2', 'E2E-3', '2026-3'],
    });
    expect(line?.details.map((each) => [each.amountCents, each.counterparty])).toEqual([
      [100, 'Payer 1'],
      [200, 'Payer 2'],
      [300, 'Payer 3'],
    ]);
  });

  it('the amount of a payment stands in AmtDtls up to version .02', async () => {
    const payments =
      '<NtryDtls><TxDtls><AmtDtls><TxAmt><Amt Ccy="USD">0.40</Amt></TxAmt></AmtDtls></TxDtls><TxDtls><AmtDtls><TxAmt><Amt Ccy="USD">0.60</Amt></TxAmt></AmtDtls></TxDtls></NtryDtls>';
    const [line] = await linesOf(message(ACCOUNT + entry(payments), '02'));
    expect(line?.details.map((each) => each.amountCents)).toEqual([40, 60]);
  });

  it('without a booking date the value date counts; without both a booked entry is refused', async () => {
    const [line] = await linesOf(message(ACCOUNT + entry('')));
    expect(dayText(line?.bookingDate)).toBe('2026-03-02');
    const dateless = message(ACCOUNT + entry('').replace(/<ValDt>.*<\/ValDt>/, ''));
    expect((await refusalOf(dateless)).message).toContain('BookgDt or ValDt');
    const pending = dateless
      .replace('BOOK', 'PDNG')
      .replace('<Acct>', '<CreDtTm>2026-03-05T00:00:00Z</CreDtTm><Acct>');
    expect(dayText((await linesOf(pending))[0]?.bookingDate)).toBe('2026-03-05');
  });

  it('pages are held against balances only when those are of the page', async () => {
    const balance = (code: string, amount: string, sub = ''): string =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry>${sub}</Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-01</Dt></Dt></Bal>`;
    const page = '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>';
    const whole = message(
      page + ACCOUNT + balance('OPBD', '5.00') + balance('CLBD', '9.00') + entry(''),
    );
    expect((await eventsOf(whole)).at(-2)).toMatchObject({ kind: 'statementEnd', proof: 'none' });
    const sub = '<SubTp><Cd>INTM</Cd></SubTp>';
    const own = message(
      page + ACCOUNT + balance('OPBD', '5.00', sub) + balance('CLBD', '9.00', sub) + entry(''),
    );
    expect((await refusalOf(own)).code).toBe('FEED_INCONSISTENT');
    expect((await eventsOf(own.replace('9.00', '6.00'))).at(-2)).toMatchObject({
      proof: 'balances',
    });
  });

  it('the bank’s own summary must agree', async () => {
    const summary = (count: number, net: string): string =>
      message(
        `${ACCOUNT}<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries><TtlNetNtry><Amt>${net}</Amt><CdtDbtInd>CRDT</CdtDbtInd></TtlNetNtry></TtlNtries></TxsSummry>${entry('')}`,
      );
    await expect(eventsOf(summary(1, '1.00'))).resolves.toHaveLength(4);
    expect((await refusalOf(summary(2, '1.00'))).code).toBe('FEED_INCONSISTENT');
    expect((await refusalOf(summary(1, '1.01'))).code).toBe('FEED_INCONSISTENT');
  });

  it('an overdrawn account has a negative balance', async () => {
    const overdrawn = reco
      .replace('100000.00</Amt><CdtDbtInd>CRDT', '100000.00</Amt><CdtDbtInd>DBIT')
      .replace('425751.68', '225751.68');
    expect((await eventsOf(overdrawn))[0]).toMatchObject({ opening: { amountCents: -10_000_000 } });
  });

  const REFUSED: readonly [string, string, string][] = [
    ['five decimals', message(ACCOUNT + entry('', '1.00001')), 'at most 2 decimals'],
    ['a negative amount', message(ACCOUNT + entry('', '-1.00')), 'without a sign'],
    ['no account', message(entry('')), 'expected an account'],
    [
      'another currency',
      message(ACCOUNT.replace('USD', 'EUR') + entry('')),
      'in EUR, but this entry in USD',
    ],
    ['an unknown status', message(ACCOUNT + entry('').replace('BOOK', 'MAYB')), 'BOOK, PDNG, INFO'],
    [
      'no direction',
      message(ACCOUNT + entry('').replace(/<CdtDbtInd>.*<\/CdtDbtInd>/, '')),
      'expected CdtDbtInd',
    ],
    [
      'a balance after the entries',
      message(`${ACCOUNT}${entry('')}<Bal></Bal>`),
      'before the first Ntry',
    ],
    [
      'a reversal that is maybe',
      message(ACCOUNT + entry('<RvslInd>maybe</RvslInd>')),
      'true or false',
    ],
    ['text between elements', message(`${ACCOUNT}hello${entry('')}`), 'found the text'],
    ['two opening balances', reco.replace('>CLBD<', '>OPBD<'), 'found a second'],
    [
      'the wrong message',
      reco.replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt'),
      'expected BkToCstmrStmt',
    ],
    [
      'a missing entry',
      reco.replace(/<Ntry>[^]*?<\/Ntry>/, ''),
      'but the closing balance is 42575168',
    ],
    [
      'an entry that comes twice',
      reco.replace(/<Ntry>[^]*?<\/Ntry>/, '$&$&'),
      'but the closing balance is 42575168',
    ],
    ['two amounts', message(ACCOUNT + entry('<Amt Ccy="USD">2.00</Amt>')), 'found a second'],
    ['two accounts', message(ACCOUNT + ACCOUNT + entry('')), 'found a second'],
    ['text before the document', reco.replace('<Document', 'x\n<Document'), 'text data outside'],
    ['text after the document', `${reco}x`, 'text data outside'],
    ['XML 1.1', reco.replace('version="1.0"', 'version="1.1"'), 'XML 1.0'],
  ];

  it.each(REFUSED)('refuses %s', async (_, feed, reason) => {
    const refusal = await refusalOf(feed, 'camt.053');
    expect(refusal.message).toContain(reason);
    expect(refusal.message).toMatch(/^Line \d+, column \d+: .*Nothing in this feed was used\.$/);
  });

  it.each(['02', '04', '08'])(
    'camt.054.001.%s gives its entries as announcements',
    async (version) => {
      const status = version === '08' ? '<Sts><Cd>BOOK</Cd></Sts>' : '<Sts>BOOK</Sts>';
      const payment = (cents: string, text: string): string =>
        version === '02'
          ? `<TxDtls><AmtDtls><TxAmt><Amt Ccy="USD">${cents}</Amt></TxAmt></AmtDtls><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`
          : `<TxDtls><Amt Ccy="USD">${cents}</Amt><CdtDbtInd>CRDT</CdtDbtInd><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
      const feed = (second: string): string =>
        `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.${version}"><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-03-10T20:00:00</CreDtTm></GrpHdr><Ntfctn><Id>N</Id><NtfctnPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></NtfctnPgntn><CreDtTm>2026-03-10T20:00:00</CreDtTm>${ACCOUNT}<Ntry><Amt Ccy="USD">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${status}<BookgDt><Dt>2026-03-10</Dt></BookgDt><AcctSvcrRef>B1</AcctSvcrRef><BkTxCd/><NtryDtls>${payment('10.00', 'REF-0001')}${payment(second, 'REF-0002')}</NtryDtls></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
      const events = await eventsOf(feed('20.00'));
      expect(events).toMatchObject([
        { kind: 'statement', isInterim: true, page: 1 },
        { kind: 'line', nativeId: 'B1', details: [{ amountCents: 1_000 }, { amountCents: 2_000 }] },
        { kind: 'statementEnd', isInterim: true, proof: 'none' },
        { kind: 'end', format: 'camt.054' },
      ]);
      const refusal = await refusalOf(feed('20.01'));
      expect(refusal.message).toContain('2 payments (TxDtls) total');
    },
  );

  it('a camt.052 is not taken for a camt.053', async () => {
    const refusal = await refusalOf(fixture('reco-001.camt052.xml'), 'camt.053');
    expect(refusal.message).toContain('expected a camt.053 Document');
  });
});
