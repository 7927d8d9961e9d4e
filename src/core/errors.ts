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
  interrupted: 130,
  terminated: 143,
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
    meaning: 'An internal check failed. Nothing was written after that.',
    remedy: 'Do not change the data directory, and report the message with its ids.',
  },
  USAGE: {
    exit: 'usage',
    meaning: 'The command does not accept these arguments.',
    remedy: 'Run the command with --help.',
  },
  NOT_FOUND: {
    exit: 'notFound',
    meaning: 'No such filing, batch, lane, person or file.',
    remedy: 'Check the id or the path; the list commands show what exists.',
  },
  REFUSED_BY_RULE: {
    exit: 'refused',
    meaning: 'The action is not allowed in the current state.',
    remedy: 'The message names the rule and how to meet it.',
  },
  SELF_APPROVAL: {
    exit: 'refused',
    meaning:
      'The person who prepared something may not approve it, nor someone who counts as the same person (user list).',
    remedy: 'Ask a second person to approve with their own key.',
  },
  NOT_APPROVED: {
    exit: 'refused',
    meaning: 'The batch has not been approved by a second person, so nothing in it is sent.',
    remedy: 'Run batch approve with the key of a person who did not import the batch.',
  },
  PROPOSAL_STALE: {
    exit: 'conflict',
    meaning: 'Something changed after a review was proposed, so the proposal no longer matches.',
    remedy: 'Withdraw the proposal, check the filings that the message names, and propose again.',
  },
  DESTINATION_CHANGED: {
    exit: 'conflict',
    meaning:
      'The profile of a lane is a different one from that of the proposal. Nothing was approved.',
    remedy: 'Check where the lane leads now, propose the batch again, and approve that.',
  },
  HASH_DIFFERS: {
    exit: 'conflict',
    meaning: 'The approval names a different hash from that of the proposal. Nothing was changed.',
    remedy: 'Check the proposal again, and approve the hash that it shows if it is correct.',
  },
  COUNT_DIFFERS: {
    exit: 'conflict',
    meaning:
      'The filter matches a different number of filings from the one entered. Nothing was changed.',
    remedy: 'Run review list with the same filter, and enter the correct number.',
  },
  MAY_BE_FILED: {
    exit: 'refused',
    meaning: 'An earlier send may have been accepted, so this action could file twice.',
    remedy:
      'Find out first whether it is filed. A replay queries the portal. Where people file, or the portal cannot be queried, look in the registry and record what you found and how you know.',
  },
  GATE_REFUSED: {
    exit: 'refused',
    meaning: 'A gate refused the payload. Nothing was frozen or proposed.',
    remedy: 'Correct the fields that the message names, each with its code and reason.',
  },
  APPROVAL_MISMATCH: {
    exit: 'conflict',
    meaning:
      'The batch does not match the approval: its hash, count or total of fees differs. Nothing was approved.',
    remedy:
      'Check it with batch approve --dry-run, and find out why it differs before you approve it.',
  },
  SIGHT_NEEDED: {
    exit: 'refused',
    meaning: 'The command covers all dockets, and this person may not see all of them.',
    remedy:
      'Run it with the key of a person who has client:*, class:* and privilege:* in the people file, and no deny.',
  },
  BROKER_CERTIFICATE: {
    exit: 'refused',
    meaning:
      'A broker behind amqps:// or rediss:// has a certificate that is not trusted. Nothing was sent to it.',
    remedy:
      'Check the address. If your firm has its own certificate authority, name its PEM file in FILEWRIGHT_BROKER_CA.',
  },
  NO_CREDENTIAL: {
    exit: 'refused',
    meaning: 'This action needs a person, and no personal key was given.',
    remedy:
      'Set FILEWRIGHT_KEY or --key-file to the key that user add printed. At the service, sign in or send a token.',
  },
  SIGN_IN_AGAIN: {
    exit: 'refused',
    meaning:
      'This cannot be undone, and your sign-in is older than 15 minutes. Nothing was changed.',
    remedy: 'Sign in again, and repeat the request.',
  },
  OTHER_ORIGIN: {
    exit: 'refused',
    meaning:
      'The request came from a page of another website, or names another host. Nothing was changed.',
    remedy:
      'Use the address of the service itself. Behind a proxy, set FILEWRIGHT_PUBLIC_URL to the address that people use.',
  },
  TOO_MANY_REQUESTS: {
    exit: 'tryLater',
    meaning: 'Too many requests came from this address or are waiting here. Nothing was changed.',
    remedy: 'Wait as long as Retry-After says, and send the request again.',
  },
  KEY_REUSED: {
    exit: 'conflict',
    meaning: 'This Idempotency-Key was used before for a different request. Nothing was changed.',
    remedy: 'Send a new key with each new request, and the same key only to repeat one.',
  },
  CHANGED_SINCE: {
    exit: 'conflict',
    meaning: 'What you would change is no longer as you read it. Nothing was changed.',
    remedy: 'Read it again, and send the request with its new ETag.',
  },
  NOT_PERMITTED: {
    exit: 'refused',
    meaning:
      'Your roles do not allow this, or this kind of user may not do it. Nothing was read or changed.',
    remedy:
      'Ask a person with a role that the message names, or an administrator to give you the role.',
  },
  BAD_CREDENTIAL: {
    exit: 'refused',
    meaning:
      'The personal key, token, link or session is unknown, expired, used, revoked, or of a disabled person.',
    remedy:
      'Sign in again, or use another key of yours. For a lost key, ask an administrator to replace it with user key add --for.',
  },
  ROWS_REFUSED: {
    exit: 'conflict',
    meaning:
      'Some rows were refused or conflict with a filing that exists; the good rows were imported.',
    remedy: 'Correct the rows in the error file and import that file.',
  },
  INPUT_MALFORMED: {
    exit: 'failed',
    meaning: 'The input is not valid in its format.',
    remedy: 'Correct the line that the message names. Nothing from that line was imported.',
  },
  SHEET_UNCLEAR: {
    exit: 'usage',
    meaning: 'A table can be read in more than one way. Nothing was imported.',
    remedy: 'Run the same command with the answers that the message asks for.',
  },
  INPUT_LIMIT: {
    exit: 'failed',
    meaning: 'A record, field or document is larger than the limit.',
    remedy: 'Split the record, or check that it is the right file.',
  },
  FEED_MALFORMED: {
    exit: 'failed',
    meaning: 'A bank feed is not valid in its format. Nothing in it is used.',
    remedy:
      'See the line and reason in the message, and download the feed from the bank again, unchanged.',
  },
  FEED_INCONSISTENT: {
    exit: 'failed',
    meaning:
      'The balances, control totals or counts of a bank feed do not agree with its lines. Nothing in it is used.',
    remedy:
      'See both figures in the message, and download the feed again. If it is the same, ask the bank.',
  },
  FEED_UNSUPPORTED: {
    exit: 'failed',
    meaning: 'This kind of bank feed is not supported, or would count money twice.',
    remedy: 'Ask the bank for the kind that the message names.',
  },
  JSON_MALFORMED: {
    exit: 'failed',
    meaning: 'The text is not strict JSON.',
    remedy:
      'Correct the position that the message names. Duplicate keys, lone surrogates and control characters are not allowed.',
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
      'Check that the root key belongs to this data directory. If it does, treat this as tampering.',
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
    meaning:
      'A credential reference (env:, file:, command:) has no value, or the operator has not allowed it.',
    remedy:
      'Set the variable, create the file, or correct the command. If the message says that it is not allowed, ask the operator to add it to the list of secrets.',
  },
  DATABASE_UNREACHABLE: {
    exit: 'tryLater',
    meaning:
      'The database does not answer, refuses the connection, or is not available now (a failover, a lock, no free connection).',
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
    meaning: 'The database login lacks a privilege that the schema needs.',
    remedy: 'Ask a database administrator to grant what the message names.',
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
  NO_INSTALLATION: {
    exit: 'notFound',
    meaning: 'No installation is here, or the folder that was named holds none.',
    remedy:
      'Go to the folder of your installation, or name it with --data-dir or FILEWRIGHT_DATA. To create one here, run filewright init.',
  },
  UNKNOWN_TENANT: {
    exit: 'notFound',
    meaning: 'The database has no such tenant.',
    remedy: 'Check --tenant. To create it, run filewright init with that --tenant.',
  },
  DATA_DIRECTORY: {
    exit: 'failed',
    meaning:
      'The data directory cannot be created, read or written, or does not belong to Filewright.',
    remedy: 'Check the path, its owner and the free space on the disk.',
  },
  OUTPUT_UNWRITABLE: {
    exit: 'failed',
    meaning: 'An output file or folder cannot be written. No partial file is left.',
    remedy: 'Choose another place, or make this one writable, and run the same command again.',
  },
  DISK_FULL: {
    exit: 'tryLater',
    meaning: 'There is no space left on the disk.',
    remedy: 'Free up space and run the same command again. Recorded data is safe.',
  },
  PORT_IN_USE: {
    exit: 'tryLater',
    meaning: 'Another program uses that port.',
    remedy: 'Choose another port with --port, or 0 for any free one.',
  },
  LANE_BUSY: {
    exit: 'tryLater',
    meaning:
      'Every slot of the lane is in use, or its portal may still be working on a lost request.',
    remedy: 'Try again in a minute; lane list shows whether the lane is closed, paused or slow.',
  },
  CLOCK_SKEW: {
    exit: 'tryLater',
    meaning:
      'This machine’s clock and the database’s differ by more than two seconds, so nothing is sent.',
    remedy: 'Correct the clock (NTP); the worker then continues by itself.',
  },
  CASE_INVALID: {
    exit: 'failed',
    meaning: 'A case has a missing field or an invalid value.',
    remedy: 'Correct the field that the message names.',
  },
  JURISDICTION_UNRESOLVED: {
    exit: 'failed',
    meaning: 'The office or state cannot be determined from the input, and none is assumed.',
    remedy: 'Give the office, the filing country or an event code that the table knows.',
  },
  EVENT_UNKNOWN: {
    exit: 'failed',
    meaning: 'The event code is not in the table of the office, so no date follows from it.',
    remedy: 'Look at the document, then name the rule and the period that it sets.',
  },
  RULE_UNKNOWN: {
    exit: 'failed',
    meaning: 'There is no rule with that name.',
    remedy: 'Check the name with rules list, or load the rule file that holds it.',
  },
  STATE_RECORD_NEEDED: {
    exit: 'failed',
    meaning: 'The rule is not known well enough; only the state can give the date.',
    remedy: 'Look up the date on the state’s record and enter it as state_record_due.',
  },
  CALENDAR_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A calendar file is not valid. Nothing in it is used.',
    remedy: 'Correct the line that the message names.',
  },
  RULE_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A rule file is not valid. Nothing in it is used.',
    remedy: 'Correct the line that the message names.',
  },
  PEOPLE_FILE_INVALID: {
    exit: 'failed',
    meaning: 'A people file is not valid. Nothing in it is used.',
    remedy: 'Correct the line that the message names.',
  },
  MESSAGE_UNSENDABLE: {
    exit: 'failed',
    meaning: 'An event has a property that cannot be sent.',
    remedy: 'Ask its sender to correct what the message names. An event from a broker is kept.',
  },
  PROOF_NEEDED: {
    exit: 'refused',
    meaning: 'A docket with a hard date needs proof of filing, or a named override, to close.',
    remedy: 'Enter the receipt and the time of filing, or an override with a reason.',
  },
  ROUTING_MATRIX_INVALID: {
    exit: 'failed',
    meaning: 'A routing matrix has a cycle, a gap or an unknown name; it is not used.',
    remedy: 'Correct each place that the message names, and run route check.',
  },
  QUARANTINED: {
    exit: 'refused',
    meaning:
      'The database is older than, or different from, the checkpoints kept outside it. Nothing is sent.',
    remedy:
      'Run doctor to see which log. When you know why, one person proposes the release (audit quarantine propose) and another approves it; open filings are settled first.',
  },
  INTERRUPTED: {
    exit: 'interrupted',
    meaning: 'Someone pressed Ctrl-C. What the message names is committed, and nothing else.',
    remedy: 'Run the command that the message names to continue.',
  },
  TERMINATED: {
    exit: 'terminated',
    meaning:
      'The process was asked to end (SIGTERM). What the message names is committed, and nothing else.',
    remedy: 'Run the command that the message names to continue.',
  },
  LEDGER_BROKEN: {
    exit: 'verification',
    meaning: 'The ledger does not verify.',
    remedy:
      'Stop sending, change nothing, and compare with the last checkpoint kept outside the database.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorExtras {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, string | number>>;
}

/** What was expected, what was found, what to do next; with the ids involved. */
export class FilewrightError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, message: string, options: ErrorExtras = {}) {
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
