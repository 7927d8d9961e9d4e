/**
 * The one error class and its catalogue. `docs/reference/errors.md` is generated from this table.
 *
 * Expected outcomes (a portal refuses, a lane pauses) are values, never exceptions; an error means that
 * an assumption is broken or that a person gave us something we cannot use.
 */

/** Exit codes of the command line; documented in docs/reference/exit-codes.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  late: 6,
  verification: 7,
  tryLater: 75,
} as const;

type ExitName = keyof typeof EXIT;

interface CatalogueEntry {
  readonly exit: ExitName;
  readonly meaning: string;
  readonly remedy: string;
}

export const ERRORS = {
  BROKEN_INVARIANT: {
    exit: 'failed',
    meaning: 'Something that must always hold does not. Nothing was written after it was noticed.',
    remedy: 'Keep the data directory as it is and report the message with its ids.',
  },
  USAGE: {
    exit: 'usage',
    meaning: 'The command was called with arguments it does not take.',
    remedy: 'Run the command with --help.',
  },
  NOT_FOUND: {
    exit: 'notFound',
    meaning: 'No such filing, batch, lane, person or file.',
    remedy: 'Check the id or the path; the list commands show what exists.',
  },
  REFUSED_BY_RULE: {
    exit: 'refused',
    meaning: 'The act is not allowed in the present state.',
    remedy: 'The message names the rule and what would satisfy it.',
  },
  SELF_APPROVAL: {
    exit: 'refused',
    meaning: 'The person who prepared a thing may not approve it.',
    remedy: 'Ask a second person to approve with their own key.',
  },
  NOT_APPROVED: {
    exit: 'refused',
    meaning: 'The batch has not been approved by a second person, so nothing of it is sent.',
    remedy: 'Run batch approve with the key of a person who did not import the batch.',
  },
  PROPOSAL_STALE: {
    exit: 'conflict',
    meaning:
      'Something has changed since a review was proposed, so that what would run is not what was proposed.',
    remedy: 'Withdraw the proposal, look at the filings that the message names, and propose again.',
  },
  HASH_DIFFERS: {
    exit: 'conflict',
    meaning: 'An approval names another hash than that of what would run. Nothing was changed.',
    remedy:
      'Look at the proposal again, and approve the hash that it shows if that is what you mean.',
  },
  COUNT_DIFFERS: {
    exit: 'conflict',
    meaning:
      'A filter finds another number of filings than the one that was typed. Nothing was changed.',
    remedy: 'Look at review list with the same filter, and type the number that you mean.',
  },
  MAY_BE_FILED: {
    exit: 'refused',
    meaning: 'An earlier send may have been accepted, so that the act could file twice.',
    remedy:
      'Replay the filing, which asks the portal first; where it cannot be asked, find out and say how you know.',
  },
  GATE_REFUSED: {
    exit: 'refused',
    meaning: 'A gate refuses the payload, so that nothing was frozen or proposed.',
    remedy: 'Correct the fields that the message names; each has its code and the reason.',
  },
  APPROVAL_MISMATCH: {
    exit: 'conflict',
    meaning:
      'The batch is not the one that the approval expected: another hash, count or total of fees. Nothing was approved.',
    remedy:
      'Look at it with batch approve --dry-run and find out why it differs before approving it.',
  },
  SIGHT_NEEDED: {
    exit: 'refused',
    meaning:
      'The act speaks of all dockets at once, and its reader does not have the right to every one there could be.',
    remedy:
      'Have it done with the key of a person who has client:*, class:* and privilege:* in the people file and no deny.',
  },
  BROKER_CERTIFICATE: {
    exit: 'refused',
    meaning:
      'A broker behind amqps:// or rediss:// shows a certificate that is not trusted. Nothing was sent to it.',
    remedy:
      'Check that the address is the right one; where the firm has an authority of its own, name its PEM file in FILEWRIGHT_BROKER_CA.',
  },
  NO_CREDENTIAL: {
    exit: 'refused',
    meaning: 'The act needs a person, and no personal key was given.',
    remedy: 'Set FILEWRIGHT_KEY or --key-file to the key that user add printed.',
  },
  NOT_PERMITTED: {
    exit: 'refused',
    meaning: 'The act is not for this kind of actor. Nothing was read or changed.',
    remedy: 'Have it done by one of those whom the message names.',
  },
  BAD_CREDENTIAL: {
    exit: 'refused',
    meaning: 'The personal key is unknown or has been disabled.',
    remedy: 'Ask an administrator to issue a new key with user add.',
  },
  ROWS_REFUSED: {
    exit: 'conflict',
    meaning:
      'Some rows were refused or conflict with a filing that exists; the good rows were imported.',
    remedy: 'Correct the rows in the error file and import that file.',
  },
  INPUT_MALFORMED: {
    exit: 'failed',
    meaning: 'The input cannot be read as the format it claims to be.',
    remedy:
      'The message names the line and what is wrong with it; nothing of that line was imported.',
  },
  INPUT_LIMIT: {
    exit: 'failed',
    meaning: 'A record, field or document is larger than the stated bound.',
    remedy: 'Split the record, or check that the file is what you think it is.',
  },
  FEED_MALFORMED: {
    exit: 'failed',
    meaning: 'A bank feed cannot be read as the format it claims to be. Nothing of it is used.',
    remedy:
      'The message names the line and the reason; fetch the feed from the bank again, unchanged.',
  },
  FEED_INCONSISTENT: {
    exit: 'failed',
    meaning:
      'The balances, control totals or counts of a bank feed do not agree with its lines. Nothing of it is used.',
    remedy:
      'The message names both figures; fetch the feed again, and ask the bank if it is the same.',
  },
  FEED_UNSUPPORTED: {
    exit: 'failed',
    meaning: 'A bank feed is of a kind that is not read, or would count money twice if it were.',
    remedy: 'The message says which kind to ask the bank for instead.',
  },
  JSON_MALFORMED: {
    exit: 'failed',
    meaning: 'A text is not the strict JSON that is required here.',
    remedy:
      'The message names the position; duplicate keys, lone surrogates and control characters are refused on purpose.',
  },
  NOT_CANONICAL: {
    exit: 'failed',
    meaning: 'A value cannot be written in the canonical JSON profile of the ledger.',
    remedy:
      'Use integers, strings, booleans, null, arrays and plain objects; money as integer minor units or a decimal string.',
  },
  SEAL_BROKEN: {
    exit: 'verification',
    meaning: 'A sealed body does not open, or does not match its commitment.',
    remedy:
      'Check that the root key is the one this data directory was made with; otherwise treat it as tampering.',
  },
  ROOT_KEY_MISSING: {
    exit: 'failed',
    meaning: 'There is no root key, or it is not 32 bytes.',
    remedy: 'Restore the key file from its backup, or set FILEWRIGHT_ROOT_KEY (64 hex digits).',
  },
  PROFILE_INVALID: {
    exit: 'failed',
    meaning: 'A portal profile has a missing or wrong field.',
    remedy: 'The message names the field; docs/reference/profile.schema.json is the format.',
  },
  CREDENTIAL_UNREADABLE: {
    exit: 'failed',
    meaning: 'A portal credential reference (env:, file:, command:) does not lead to a value.',
    remedy: 'Set the variable, create the file, or correct the command that the profile names.',
  },
  DATABASE_UNREACHABLE: {
    exit: 'tryLater',
    meaning:
      'The database does not answer, refuses the connection, or cannot do it now (a fail-over, a lock, no connection left).',
    remedy: 'Check DATABASE_URL, or run db start for the embedded one.',
  },
  DATABASE_UNSUPPORTED: {
    exit: 'failed',
    meaning:
      'The database is not a PostgreSQL of a supported version, or its schema is newer than this program.',
    remedy:
      'Use PostgreSQL 14 or newer, and a Filewright at least as new as the one that last migrated it.',
  },
  DATABASE_RIGHTS: {
    exit: 'failed',
    meaning: 'The database login lacks a right that the schema needs.',
    remedy: 'The message says what an administrator of the database has to grant.',
  },
  EMBEDDED_UNAVAILABLE: {
    exit: 'failed',
    meaning: 'The embedded PostgreSQL cannot run here.',
    remedy:
      'Set DATABASE_URL to a PostgreSQL 14 or newer, or run on a platform that has a binary package.',
  },
  EMBEDDED_FAILED: {
    exit: 'failed',
    meaning: 'The embedded PostgreSQL did not start or stop.',
    remedy: 'Read the server log that the message names.',
  },
  DATA_DIRECTORY: {
    exit: 'failed',
    meaning: 'The data directory cannot be created, read or written, or is not one of ours.',
    remedy: 'Check the path, its owner and the free space on the disk.',
  },
  OUTPUT_UNWRITABLE: {
    exit: 'failed',
    meaning: 'A file or folder that was asked for cannot be written. Nothing is left half written.',
    remedy:
      'Name another place, or make that one writable for this user, and run the same command again.',
  },
  DISK_FULL: {
    exit: 'tryLater',
    meaning: 'There is no space left on the disk.',
    remedy: 'Free some space and run the same command again; what was committed is safe.',
  },
  PORT_IN_USE: {
    exit: 'tryLater',
    meaning: 'Another program listens on that port.',
    remedy: 'Choose another port with --port, or 0 for any free one.',
  },
  LANE_BUSY: {
    exit: 'tryLater',
    meaning:
      'Every slot of the lane is in use, or its portal may still be at work on a lost request.',
    remedy:
      'Try again in a minute; lane list says whether the lane is closed, paused or slow until then.',
  },
  CLOCK_SKEW: {
    exit: 'tryLater',
    meaning:
      'This machine’s clock and the database’s differ by more than two seconds, so nothing is sent.',
    remedy: 'Correct the clock (NTP); the worker goes on by itself when they agree.',
  },
  CASE_INVALID: {
    exit: 'failed',
    meaning: 'A case to be computed lacks a field, or holds a value that cannot be used.',
    remedy: 'The message names the field and what was expected there.',
  },
  JURISDICTION_UNRESOLVED: {
    exit: 'failed',
    meaning: 'No office or state follows from what was given, and none is ever assumed.',
    remedy: 'Give the office, the filing country or an event code that the table knows.',
  },
  RULE_UNKNOWN: {
    exit: 'failed',
    meaning: 'No rule of that name is in the rules that are loaded.',
    remedy: 'Check the name with rules list, or load the rule file that holds it.',
  },
  STATE_RECORD_NEEDED: {
    exit: 'failed',
    meaning: 'The rule is not known well enough to answer; only the state can say the date.',
    remedy: 'Look the date up on the record of the state and give it as state_record_due.',
  },
  CALENDAR_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A calendar file does not hold what a calendar must hold. Nothing of it is used.',
    remedy: 'Correct the line that the message names.',
  },
  RULE_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A rule file does not hold what its rules must hold. Nothing of it is used.',
    remedy: 'Correct the line that the message names.',
  },
  PEOPLE_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A people file does not hold what it must hold. Nothing of it is used.',
    remedy: 'Correct the line that the message names.',
  },
  MESSAGE_UNSENDABLE: {
    exit: 'failed',
    meaning: 'An event came with a property that no wire can carry, so it could never be sent.',
    remedy: 'Let its sender correct what the message names; from a broker, the event is kept.',
  },
  PROOF_NEEDED: {
    exit: 'refused',
    meaning: 'A docket with a hard date closes only with proof of filing or with a named override.',
    remedy: 'Give the receipt and the moment of filing, or who overrides it and the reason.',
  },
  ROUTING_MATRIX_INVALID: {
    exit: 'failed',
    meaning: 'A routing matrix has a circle, a gap or a name that leads nowhere; it is not used.',
    remedy: 'Correct each place that the message names, and run route check.',
  },
  QUARANTINED: {
    exit: 'refused',
    meaning:
      'The database is older than, or different from, the checkpoints kept outside it. Nothing is sent.',
    remedy:
      'Run doctor to see which log; when you know why, a person lets the tenant go on, and open filings are settled first.',
  },
  LEDGER_BROKEN: {
    exit: 'verification',
    meaning: 'The ledger does not verify.',
    remedy: 'Stop sending, keep everything, and compare with the last checkpoint kept outside.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** What was expected, what was found, what to do next; with the ids involved. */
export class FilewrightError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, string | number>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FilewrightError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get exitCode(): number {
    return EXIT[ERRORS[this.code].exit];
  }

  get remedy(): string {
    return ERRORS[this.code].remedy;
  }
}
