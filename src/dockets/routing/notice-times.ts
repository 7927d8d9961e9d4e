/** How long notices of the manual tier are in hand, and wait for each other. */

/** A process has a notice of the manual tier in hand for so long; after that any other takes it. */
export const NOTICE_LEASE_MS = 15_000;
/** How long a letter of the manual tier waits for company: an outage must not fill a mailbox with letters. */
export const LETTER_WAIT_MS = 3_000;
