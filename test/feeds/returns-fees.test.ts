/** What a bank marks as taken back, and what it kept of a payment. */
import { describe, expect, it } from 'vitest';
import { linesOf } from './support.ts';

const camt = (entry: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-03-31T08:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S</Id><Acct><Id><Othr><Id>99</Id></Othr></Id><Ccy>USD</Ccy></Acct>${entry}</Stmt></BkToCstmrStmt></Document>`;
const ntry = (inner: string, mark = 'DBIT', amount = '50.00'): string =>
  camt(
    `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-05</Dt></BookgDt>${inner}</Ntry>`,
  );
const mt940 = (line: string, narrative = 'PAYMENT'): string =>
  `:20:R\r\n:25:021000021/99\r\n:28C:1/1\r\n:60F:C260301USD100,\r\n:61:${line}\r\n:86:${narrative}\r\n`;

async function first(text: string, closing = '') {
  const [line] = await linesOf(text + closing);
  return line;
}

describe('what the bank marks as taken back', () => {
  it.each([
    ['RvslInd', '<RvslInd>true</RvslInd>'],
    [
      'a return reason',
      '<NtryDtls><TxDtls><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls>',
    ],
    [
      'a transaction code of returns',
      '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>',
    ],
    [
      'an unpaid cheque',
      '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCHQ</Cd><SubFmlyCd>UPCQ</SubFmlyCd></Fmly></Domn></BkTxCd>',
    ],
  ])('camt: %s', async (_what, inner) => {
    expect(await first(ntry(inner))).toMatchObject({ isReversal: true });
  });

  it('camt: an entry without any of them is none', async () => {
    expect(await first(ntry(''))).toMatchObject({ isReversal: false });
  });

  it.each([
    ['RC', '2603050305RC50,00NTRFREF//B1', 'PAYMENT'],
    ['the type of a returned item', '2603050305D50,00NRTIREF//B1', 'PAYMENT'],
    ['the code RTRN', '2603050305D50,00NTRFREF//B1', '/RTRN/AC04/REMI/GIFT/'],
    ['the business code of a return', '2603050305D50,00NTRFREF//B1', '109?00RETURN?20GIFT'],
  ])('MT940: %s', async (_what, line, narrative) => {
    const text = mt940(line, narrative);
    expect(await first(text, ':62F:C260331USD50,\r\n-')).toMatchObject({
      isReversal: true,
      direction: 'debit',
    });
  });

  it.each([
    ['552', true],
    ['555', true],
    ['557', true],
    ['558', true],
    ['566', true],
    ['567', false],
    ['475', false],
    ['257', true],
    ['165', false],
  ])('BAI2: type %s', async (type, isReversal) => {
    const text = [
      '01,B,C,260305,0800,1,80,,2/',
      '02,C,B,1,260304,,USD,2/',
      '03,99,USD/',
      `16,${type},5000,Z,BREF,CREF,TEXT/`,
      '49,5000,3/',
      '98,5000,1,5/',
      '99,5000,1,7/',
    ].join('\n');
    expect(await first(text)).toMatchObject({ isReversal });
  });
});

describe('what the bank kept', () => {
  it.each([
    ['version .02', '<Chrgs><Amt Ccy="USD">15.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></Chrgs>', 1500],
    [
      'records that are inside the amount',
      '<Chrgs><Rcrd><Amt Ccy="USD">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd><Rcrd><Amt Ccy="USD">2.50</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>',
      1250,
    ],
    ['a total', '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">7.25</TtlChrgsAndTaxAmt></Chrgs>', 725],
    [
      'of the payment inside',
      '<NtryDtls><TxDtls><Chrgs><Rcrd><Amt Ccy="USD">3.00</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs></TxDtls></NtryDtls>',
      300,
    ],
    [
      'booked apart',
      '<Chrgs><Rcrd><Amt Ccy="USD">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>false</ChrgInclInd></Rcrd></Chrgs>',
      undefined,
    ],
    ['none', '', undefined],
  ])('camt: %s', async (_what, inner, chargesCents) => {
    expect((await first(ntry(inner, 'CRDT', '4985.00')))?.chargesCents).toBe(chargesCents);
  });

  it.each([
    [
      'in the supplement',
      '2603050305C4975,00NTRFREF//B1\r\n/OCMT/USD5000,00/CHGS/USD25,00/',
      'GIFT',
      2500,
    ],
    ['in the narrative', '2603050305C4975,00NTRFREF//B1', '/OCMT/USD5000,00//CHGS/USD25,00/', 2500],
    [
      'in another currency, which says nothing',
      '2603050305C4975,00NTRFREF//B1',
      '/CHGS/EUR25,00/',
      undefined,
    ],
  ])('MT940: %s', async (_what, line, narrative, chargesCents) => {
    const found = await first(mt940(line, narrative), ':62F:C260331USD5075,\r\n-');
    expect(found?.chargesCents).toBe(chargesCents);
  });
});
