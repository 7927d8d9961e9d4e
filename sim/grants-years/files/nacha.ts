/** A NACHA file with CCD+ entries: payments that the clearing announces before the bank books them. */
import { shortDay } from '../days.ts';
import type { Entry } from '../hidden-year.ts';

const RECEIVING_BANK = '09100001';
const CHECK_DIGIT = '9';
const ODFI = '09100001';
const BLOCK = 10;

export function nachaFile(entries: readonly Entry[], day: string): string {
  const records = [fileHeader(day)];
  let total = 0;
  let count = 0;
  for (const [at, entry] of entries.entries()) {
    const number = String(at + 1).padStart(7, '0');
    total += entry.cents;
    count += 2;
    records.push(
      batchHeader(entry, day, number),
      ...entryRecords(entry),
      batchControl(entry, number),
    );
  }
  const hash = String(entries.length * Number(RECEIVING_BANK))
    .padStart(10, '0')
    .slice(-10);
  const blocks = Math.ceil((records.length + 1) / BLOCK);
  records.push(
    `9${pad(entries.length, 6)}${pad(blocks, 6)}${pad(count, 8)}${hash}${pad(0, 12)}${pad(total, 12)}`.padEnd(
      94,
    ),
  );
  while (records.length % BLOCK !== 0) records.push('9'.repeat(94));
  return `${records.join('\n')}\n`;
}

function fileHeader(day: string): string {
  return `101 ${ODFI}9 ${RECEIVING_BANK}9${shortDay(day)}0800A094101${'RIVERBEND BANK'.padEnd(23)}${'CLEARING'.padEnd(23)}${' '.repeat(8)}`;
}

function batchHeader({ payer }: Entry, day: string, number: string): string {
  return `5220${(payer ?? '').slice(0, 16).padEnd(16)}${' '.repeat(20)}1234567890CCD${'GRANT'.padEnd(10)}${' '.repeat(6)}${shortDay(day)}   1${ODFI}${number}`;
}

function entryRecords({ account, cents, reference, trace = '' }: Entry): string[] {
  const addenda = `RMR*IV*${reference ?? ''}**${(cents / 100).toFixed(2)}\\`;
  return [
    `622${RECEIVING_BANK}${CHECK_DIGIT}${account.padEnd(17)}${pad(cents, 10)}${' '.repeat(15)}${'RIVERBEND ARTS'.padEnd(22)}  1${trace}`,
    `705${addenda.padEnd(80)}0001${trace.slice(-7)}`,
  ];
}

function batchControl({ cents }: Entry, number: string): string {
  const hash = RECEIVING_BANK.padStart(10, '0');
  return `8220${pad(2, 6)}${hash}${pad(0, 12)}${pad(cents, 12)}1234567890${' '.repeat(25)}${ODFI}${number}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
