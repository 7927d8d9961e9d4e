/**
 * Whether an attempt ever left this installation. The intent is committed before the gates look once more, so that an attempt
 * named `send` may have sent nothing; whoever reads about it must not be told otherwise. Pure.
 */

/** What is decided before a byte is written. */
const NEVER_LEFT: ReadonlySet<string> = new Set(['gated', 'held_back', 'late', 'unsent']);

export type AttemptWord = 'sent' | 'not sent' | 'asked' | 'by hand' | 'looked for' | 'none';

/** `verdict` undefined: there is no outcome, so it may have been sent. */
export function attemptWord(action: string, verdict: string | undefined): AttemptWord {
  switch (action) {
    case 'send':
    case 'resend':
      return verdict !== undefined && NEVER_LEFT.has(verdict) ? 'not sent' : 'sent';
    case 'ask':
    case 'poll':
      return 'asked';
    case 'file':
      return 'by hand';
    case 'look':
      return 'looked for';
    default:
      return 'none';
  }
}

/** How the payload got to the office, over all attempts. */
export function carriedBy(words: readonly AttemptWord[]): 'sent' | 'by hand' | 'never sent' {
  if (words.includes('by hand')) return 'by hand';
  return words.includes('sent') ? 'sent' : 'never sent';
}
