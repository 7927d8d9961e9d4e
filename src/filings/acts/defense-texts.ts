/** The page of a defense pack that a judge or an opposing expert reads first. */
import type { FilingView } from '../store/filings.ts';
import { opensslLines, type SignedLog } from '../../ledger/index.ts';
import type { Deadline, TierChange } from './defense-history.ts';

interface CourtInput {
  readonly filing: FilingView;
  readonly deadline: Deadline;
  readonly tiers: readonly TierChange[];
  readonly receipt:
    | { readonly number: string; readonly recorded_at: string; readonly entry: number }
    | undefined;
  readonly packs: readonly { readonly log: SignedLog; readonly entries: number }[];
  readonly attempts: number;
  readonly carried: 'sent' | 'by hand' | 'never sent';
  readonly shredded: number;
  readonly madeAt: string;
  readonly madeBy: string;
}

export function courtText(input: CourtInput): string {
  const parts = [headText(input), contentsText(input), checkingText(input), meaningText(input)];
  return parts.flat().join('\n');
}

function carriedText(carried: CourtInput['carried'], { status }: FilingView): string {
  if (carried === 'sent') return 'sent by a program';
  if (carried === 'never sent') return 'nothing of it was sent';
  return status === 'accepted'
    ? 'filed by a person, by hand'
    : 'taken by a person to file it by hand; nothing is recorded as filed';
}

function headText({ filing, deadline, receipt, carried, madeAt, madeBy }: CourtInput): string[] {
  return [
    'RECORD OF ONE FILING, FOR INDEPENDENT EXAMINATION',
    '',
    `Filing      ${filing.id}`,
    `Made for    ${filing.entityId}, ${filing.filingKind}, period ${filing.period}`,
    `Owed to     ${filing.jurisdiction} (lane ${filing.lane}); ${carriedText(carried, filing)}`,
    `Due         ${deadline.due} (last safe moment ${deadline.last_safe})`,
    `State       ${filing.status}`,
    receipt === undefined
      ? 'Receipt     none'
      : `Receipt     ${receipt.number}, recorded ${receipt.recorded_at} (entry ${receipt.entry})`,
    `Assembled   ${madeAt} by ${madeBy}`,
    '',
  ];
}

function contentsText({ deadline, attempts, shredded }: CourtInput): string[] {
  const isKnown = deadline.derivation !== null;
  return [
    'WHAT IS IN THIS FOLDER',
    '',
    'payload/          the bytes of the filing, one file for each revision. The SHA-256 of each file is in the entry',
    '                  named at the end of its file name, as payload_sha256.',
    `attempts/         ${attempts} records of attempts and outcomes. attempts.json lists them in order, and says of each whether anything
                  was sent; each answer is included as it was`,
    '                  recorded (.json) and as the exact bytes that the authority returned (.body).',
    'exceptions/       what was given to a person to review (only if that happened).',
    'evidence/         proof of filing entered by a person, byte for byte (.txt, .pdf, .png, .jpg, .eml, .bin) and as it was recorded (.json);',
    '                  its SHA-256 is in the entry named at the end of its file name (only if a person recorded it as filed).',
    `deadline.json     the date${isKnown ? ' and the legal steps by which it was computed' : '; it came with the filing, and no computation of it is on record'}.`,
    'tiers.json        who was responsible for the filing, and when that changed.',
    'receipt.json      the number that the authority gave (only if it was accepted).',
    'logs/             the proof: entries of the signed logs, each with the proof that it is part of its log.',
    'verify.py         a program that checks all of it. It is short and can be read.',
    'MANIFEST.sha256   the SHA-256 of every file here.',
    ...(shredded === 0
      ? []
      : [
          '',
          `${shredded} sealed contents were destroyed after the time for which they had to be kept. Their entries and proofs remain.`,
        ]),
    '',
  ];
}

function checkingText({ packs }: CourtInput): string[] {
  const [main] = packs;
  return [
    'HOW TO CHECK IT WITHOUT THE PROGRAM THAT MADE IT',
    '',
    'In this folder, with Python 3.8 and OpenSSL 3, without a network:',
    '',
    '  python3 verify.py .',
    '',
    'The same with standard tools, piece by piece. First, that no file was changed:',
    '',
    '  sha256sum -c MANIFEST.sha256',
    '',
    'Then, that the head of the log was signed with its key:',
    '',
    ...(main === undefined
      ? []
      : opensslLines(main.log, `logs/${main.log.boundary}/checkpoint`).map((line) => `  ${line}`)),
    '',
    'It must say "Signature Verified Successfully". The keys of the logs are:',
    '',
    ...packs.flatMap(({ log }) => log.keys.map(({ key }) => `  ${key.text}`)),
    '',
    'Compare them with the keys that the maker of this record published or gave you earlier. If they agree, run',
    'python3 verify.py with --policy and a file of those keys: then the check relies on nothing in this folder.',
    '',
  ];
}

function meaningText({ packs }: CourtInput): string[] {
  return [
    'WHAT THIS SHOWS',
    '',
    ...packs.map(
      ({ log, entries }) =>
        `- ${entries} of the ${log.checkpoint.size} entries of the log ${log.origin} are shown, each proven to be in it.`,
    ),
    '- An entry cannot be altered, removed or added later without changing the signed head.',
    '- Entries carry the time of the machine that wrote them. Their order is proven; the clock time is not.',
    '- The record was written as shown. Whether it is true must be shown by other evidence, such as the',
    '  receipt, which the authority can confirm.',
    '',
  ];
}
