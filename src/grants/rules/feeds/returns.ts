/** The codes with which a bank says that an entry takes an earlier one back, by format. */

// ISO 20022 external bank transaction codes: returns, reversals, unpaid direct debits, cheques and cards.
const ISO_SUBFAMILIES: ReadonlySet<string> = new Set([
  'RRTN',
  'RPCR',
  'PRDD',
  'PRCT',
  'UPDD',
  'UPCQ',
  'UPCT',
  'UPTC',
  'CQRV',
  'ARET',
  'ARVL',
]);

/** The last part of `PMNT-RCDT-RRTN`. */
export function isIsoReturn(code: string | undefined): boolean {
  return ISO_SUBFAMILIES.has(code?.split('-').at(-1) ?? '');
}

// BAI2: debits that take a credit back, and credits that take a debit back. 567 is the fee of a return, and none itself.
const BAI2_TYPES: ReadonlySet<string> = new Set([
  '252',
  '254',
  '255',
  '257',
  '258',
  '266',
  '395',
  '423',
  '552',
  '554',
  '555',
  '557',
  '558',
  '566',
]);

export function isBai2Return(type: string): boolean {
  return BAI2_TYPES.has(type);
}

// The type of :61: for a returned item, whoever names it (N, F or S before it).
const SWIFT_TYPE = /^[NFS]RTI$/;
// `/RTRN/` among the codes of :86:, or a German business code: returned cheque, direct debit and transfer.
const SWIFT_NARRATIVE = /\/RTRN\/|^(?:108|109|159)\?/;

export function isSwiftReturn(type: string, narrative: readonly string[]): boolean {
  return SWIFT_TYPE.test(type) || SWIFT_NARRATIVE.test(narrative.join(''));
}
