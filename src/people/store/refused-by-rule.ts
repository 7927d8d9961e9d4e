/** The database's refusals in our words. */
import { FilewrightError } from '../../core/index.ts';

const CODES = {
  proposal_second_person: 'SELF_APPROVAL',
  proposal_same_hash: 'HASH_DIFFERS',
  proposal_role: 'NOT_PERMITTED',
} as const;

const WAITS = 'There is already a proposal for it that is open or approved';
const IN_WORDS: Readonly<Record<string, string>> = {
  proposal_once: WAITS,
  // Of two that are made at once.
  proposal_numbered: WAITS,
  proposal_amends: 'The award already has an amendment or a cancellation that is open or approved',
  person_key_enrolled_once: 'The enrollment codes were already used',
  person_role_held: 'The person already has the role',
  person_name: 'A person with this name exists; choose another name',
  person_skeleton: 'A person exists whose name looks the same; choose another name',
};

const RESTRICTED = '23001';
const TAKEN = '23505';

export function refusedByRule(error: unknown): never {
  // Every error of the database has these as texts.
  const { code, constraint, message } = Object(error) as {
    readonly code?: string;
    readonly constraint?: string;
    readonly message?: string;
  };
  const words = code === TAKEN ? IN_WORDS[constraint ?? ''] : undefined;
  if (code !== RESTRICTED && words === undefined) throw error;
  const known = Object.entries(CODES).find(([name]) => name === constraint)?.[1];
  throw new FilewrightError(known ?? 'REFUSED_BY_RULE', words ?? message ?? '', { cause: error });
}
