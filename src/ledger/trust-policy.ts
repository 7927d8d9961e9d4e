/**
 * Whom to believe: the keys of logs, the keys of witnesses, and how many witnesses it takes. The file form is C2SP
 * `tlog-policy`; see trust-policy-file.ts.
 */
import { badInput } from '../core/index.ts';
import { keysOf, type VerifiedSignature, type VerifierKeys } from './note.ts';
import type { VerifierKey } from './verifier-key.ts';

/** Tree sizes, both included; without an end, for ever. */
export interface SizeRange {
  readonly first: number;
  readonly last?: number;
}

export interface TrustedLog {
  /** Its name is the log's origin. */
  readonly key: VerifierKey;
  readonly url?: string;
  /** The tree sizes this key may sign; all of them unless told. A rotation gives the old and the new key theirs. */
  readonly sizes?: SizeRange;
}

export interface TrustedWitness {
  /** Known only inside the policy. */
  readonly name: string;
  readonly key: VerifierKey;
  readonly url?: string;
}

/** Has seen a tree head when at least `threshold` of its members have; members are witnesses or earlier groups. */
export interface WitnessGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface TrustPolicy {
  readonly logs: readonly TrustedLog[];
  readonly witnesses: readonly TrustedWitness[];
  readonly groups: readonly WitnessGroup[];
  /** A witness, a group, or `none`. */
  readonly quorum: string;
}

/** The predefined name of a quorum that asks nobody. */
export const NO_QUORUM = 'none';

/** Every log key among them may sign any size; witnesses are checked when they signed, but none is required. */
export function policyOf(verifierKeys: VerifierKeys): TrustPolicy {
  const keys = keysOf(verifierKeys);
  return {
    logs: keys.filter(({ role }) => role === 'log').map((key) => ({ key })),
    witnesses: keys
      .filter(({ role }) => role === 'witness')
      .map((key) => ({ name: key.text, key })),
    groups: [],
    quorum: NO_QUORUM,
  };
}

export function policyKeys(policy: TrustPolicy): readonly VerifierKey[] {
  return keysOf([...policy.logs, ...policy.witnesses].map(({ key }) => key));
}

/** What keeps the witnesses among verified signatures from being enough, as the end of a sentence. */
export function quorumFault(
  policy: TrustPolicy,
  signatures: readonly VerifiedSignature[],
): string | undefined {
  if (policy.quorum === NO_QUORUM) return undefined;
  const signed = new Set(signatures.map(({ key }) => key.text));
  const seen = new Set(
    policy.witnesses.filter(({ key }) => signed.has(key.text)).map(({ name }) => name),
  );
  // Members come before their group, so one pass settles every group.
  for (const { name, threshold, members } of policy.groups) {
    if (members.filter((member) => seen.has(member)).length >= threshold) seen.add(name);
  }
  return seen.has(policy.quorum) ? undefined : `the quorum ${policy.quorum} is not reached`;
}

/**
 * What keeps verified signatures from being the log's own, as the end of a sentence; undefined when nothing does.
 * `origin` is the log that is asked for: the key of another log says nothing about it.
 */
export function logKeyFault(
  policy: TrustPolicy,
  head: { readonly origin: string; readonly size: number },
  signatures: readonly VerifiedSignature[],
): string | undefined {
  const signed = new Set(signatures.map(({ key }) => key.text));
  const ofLog = policy.logs.filter(({ key }) => key.name === head.origin && signed.has(key.text));
  if (ofLog.length === 0) return `no trusted key of the log ${head.origin} has signed it`;
  if (ofLog.some(({ sizes }) => isWithin(head.size, sizes))) return undefined;
  return `the key that signed it is not the log's key for tree size ${head.size}`;
}

function isWithin(size: number, range: SizeRange | undefined): boolean {
  return range === undefined || (size >= range.first && size <= (range.last ?? size));
}

/** Throws `INPUT_MALFORMED` unless the policy could be written as a `tlog-policy` file and means what it says. */
export function requirePolicy(policy: TrustPolicy): TrustPolicy {
  const fault = structureFault(policy);
  if (fault === undefined) return policy;
  throw badInput(`Expected a trust policy, but ${fault}.`);
}

function structureFault({ logs, witnesses, groups, quorum }: TrustPolicy): string | undefined {
  const logFault = keysFault(logs, 'log');
  if (logFault !== undefined) return logFault;
  for (const { key, sizes } of logs) {
    if (sizes !== undefined && !isRange(sizes)) return `the size range of ${key.name} is not one`;
  }
  const witnessFault = keysFault(witnesses, 'witness');
  if (witnessFault !== undefined) return witnessFault;

  const defined = new Set<string>();
  const used = new Set<string>();
  for (const { name } of witnesses) {
    if (name === NO_QUORUM || defined.has(name)) return `the name ${name} is defined twice`;
    defined.add(name);
  }
  for (const { name, threshold, members } of groups) {
    if (name === NO_QUORUM || defined.has(name)) return `the name ${name} is defined twice`;
    for (const member of members) {
      if (!defined.has(member)) return `group ${name} has the unknown member ${member}`;
      // Otherwise one witness could count twice towards the quorum.
      if (used.has(member)) return `${member} is a member twice`;
      used.add(member);
    }
    if (!Number.isSafeInteger(threshold) || threshold < 1 || threshold > members.length) {
      return `group ${name} asks for ${threshold} of ${members.length} members`;
    }
    defined.add(name);
  }
  if (quorum !== NO_QUORUM && !defined.has(quorum)) return `its quorum ${quorum} is not defined`;
  return undefined;
}

// Two keys are the same when their 32 bytes are, whatever name they go by: one party must not count twice.
function keysFault(
  listed: readonly { readonly key: VerifierKey }[],
  role: VerifierKey['role'],
): string | undefined {
  const known = new Set<string>();
  for (const { key } of listed) {
    if (key.role !== role) return `the key of ${key.name} is not one of a ${role}`;
    const bytes = Buffer.from(key.publicKey).toString('hex');
    if (known.has(bytes)) return `the key of ${key.name} is listed twice`;
    known.add(bytes);
  }
  return undefined;
}

function isRange({ first, last = first }: SizeRange): boolean {
  return Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && last >= first;
}
