import { describe, expect, it } from 'vitest';
import { attemptWord, carriedBy } from './left.ts';

describe('an attempt', () => {
  it.each([
    ['send', 'gated', 'not sent'],
    ['send', 'held_back', 'not sent'],
    ['send', 'late', 'not sent'],
    ['resend', 'unsent', 'not sent'],
    ['send', 'transient', 'sent'],
    ['send', 'unknown', 'sent'],
    ['send', undefined, 'sent'],
    ['ask', 'status_accepted', 'asked'],
    ['file', 'accepted', 'by hand'],
    ['look', 'transient', 'looked for'],
  ] as const)('%s with the verdict %s was %s', (action, verdict, word) => {
    expect(attemptWord(action, verdict)).toBe(word);
  });

  it('decides what a folder for a court says of the filing', () => {
    expect(carriedBy(['not sent', 'not sent'])).toBe('never sent');
    expect(carriedBy(['not sent', 'sent'])).toBe('sent');
    expect(carriedBy(['by hand', 'looked for'])).toBe('by hand');
    expect(carriedBy([])).toBe('never sent');
  });
});
