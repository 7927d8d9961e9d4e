/**
 * C2SP `tlog-policy`: lines `log`, `witness`, `group` and `quorum`. The format knows no size ranges for the keys of a
 * rotation, so they stand in a comment before their `log` line, which every other reader skips:
 *
 *     #sizes 0-1199
 *     log ledger.example.org/acme/filing+731a8e14+AXnM…
 *     #sizes 1000-
 *     log ledger.example.org/acme/filing+0b6e2f11+AQ4w…
 */
import { badInput, FilewrightError, invariant } from '../core/index.ts';
import {
  NO_QUORUM,
  requirePolicy,
  type SizeRange,
  type TrustedLog,
  type TrustedWitness,
  type TrustPolicy,
  type WitnessGroup,
} from './trust-policy.ts';
import { parseVerifierKey } from './verifier-key.ts';

// C2SP recommends room for 32 logs, witnesses and groups each, which is about 15 kB.
const POLICY_BYTES_MAX = 64 * 1024;
const SIZES_MARK = '#sizes';
const SIZES = /^(0|[1-9][0-9]*)-(0|[1-9][0-9]*)?$/;
const COUNT = /^[1-9][0-9]*$/;
// Tab, newline and what can be seen; a carriage return or an escape sequence could hide a line from a reader.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const NOT_IN_WORDS = /[\u0000-\u0020\u007f]/; // oxlint-disable-line no-control-regex -- as above.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a policy file. Throws `INPUT_MALFORMED` with the line. */
export function parseTrustPolicy(file: string | Uint8Array): TrustPolicy {
  const bytes = typeof file === 'string' ? Buffer.from(file, 'utf8') : Buffer.from(file);
  if (bytes.length > POLICY_BYTES_MAX)
    throw refused(0, `it has more than ${POLICY_BYTES_MAX} bytes`);
  // One character for each byte: outside ASCII the format compares bytes, not letters.
  const rows = bytes.toString('latin1').split('\n');
  // A file that was cut off could end in the middle of a longer quorum's name.
  if (rows.pop() !== '') throw refused(rows.length + 1, 'the last line has no end');
  const reader = new PolicyReader();
  for (const [index, row] of rows.entries()) {
    const fault = reader.read(row);
    if (fault !== undefined) throw refused(index + 1, fault);
  }
  return reader.policy();
}

/** Writes a policy file that `parseTrustPolicy` reads back. */
export function writeTrustPolicy(policy: TrustPolicy): string {
  requirePolicy(policy);
  const lines: string[] = [];
  for (const { key, url, sizes } of policy.logs) {
    if (sizes !== undefined) lines.push(`${SIZES_MARK} ${sizes.first}-${sizes.last ?? ''}`);
    lines.push(line('log', key.text, url));
  }
  for (const { name, key, url } of policy.witnesses)
    lines.push(line('witness', name, key.text, url));
  for (const { name, threshold, members } of policy.groups) {
    lines.push(line('group', name, String(threshold), ...members));
  }
  lines.push(line('quorum', policy.quorum));
  return `${lines.join('\n')}\n`;
}

function line(...words: readonly (string | undefined)[]): string {
  const present = words.filter((word) => word !== undefined);
  for (const word of present) {
    invariant(
      word !== '' && !NOT_IN_WORDS.test(word),
      `Expected a name or an address without spaces, found "${word}".`,
    );
  }
  return present.join(' ');
}

class PolicyReader {
  readonly #logs: TrustedLog[] = [];
  readonly #witnesses: TrustedWitness[] = [];
  readonly #groups: WitnessGroup[] = [];
  #quorum: string | undefined;
  #sizes: SizeRange | undefined;

  /** Takes one line; what is wrong with it is the end of a sentence. */
  read(row: string): string | undefined {
    if (FORBIDDEN.test(row)) return 'it has control characters (or CRLF line ends)';
    const words = row.split(/[ \t]+/).filter((word) => word !== '');
    const [keyword, ...rest] = words;
    if (keyword === undefined) return undefined;
    if (keyword.startsWith('#')) {
      if (keyword !== SIZES_MARK) return undefined;
      this.#sizes = sizesOf(rest);
      return this.#sizes === undefined ? 'its size range is not one' : undefined;
    }
    if (this.#sizes !== undefined && keyword !== 'log') return 'a size range belongs before a log';
    const decoded = rest.map(decode);
    const texts = decoded.filter((text) => text !== undefined);
    if (texts.length < rest.length) return 'a name or address in it is not UTF-8';
    try {
      return this.#define(keyword, texts);
    } catch (error) {
      // A key that cannot be read; the line is what its own message lacks.
      if (error instanceof FilewrightError) return `of this: ${error.message}`;
      throw error;
    }
  }

  policy(): TrustPolicy {
    if (this.#sizes !== undefined) throw refused(0, 'its last size range has no log');
    if (this.#quorum === undefined) throw refused(0, 'it has no quorum line');
    return this.#soFar(this.#quorum);
  }

  #define(keyword: string, words: readonly string[]): string | undefined {
    switch (keyword) {
      case 'log':
        return this.#log(words);
      case 'witness':
        return this.#witness(words);
      case 'group':
        return this.#group(words);
      case 'quorum':
        return this.#setQuorum(words);
      default:
        return `it begins with "${keyword}" instead of log, witness, group or quorum`;
    }
  }

  #log([vkey, url, ...more]: readonly string[]): string | undefined {
    if (vkey === undefined || more.length > 0) return 'it is not "log <vkey> [<url>]"';
    const sizes = this.#sizes;
    this.#sizes = undefined;
    this.#logs.push({
      key: parseVerifierKey(vkey),
      ...(url === undefined ? {} : { url }),
      ...(sizes === undefined ? {} : { sizes }),
    });
    return this.#fault();
  }

  #witness([name, vkey, url, ...more]: readonly string[]): string | undefined {
    if (name === undefined || vkey === undefined || more.length > 0) {
      return 'it is not "witness <name> <vkey> [<url>]"';
    }
    const key = parseVerifierKey(vkey);
    this.#witnesses.push({ name, key, ...(url === undefined ? {} : { url }) });
    return this.#fault();
  }

  #group([name, asked, ...members]: readonly string[]): string | undefined {
    if (name === undefined || asked === undefined) return 'it is not "group <name> <k> <name>..."';
    const threshold = thresholdOf(asked, members.length);
    if (threshold === undefined) return 'its threshold is not all, any or a number';
    this.#groups.push({ name, threshold, members });
    return this.#fault();
  }

  #setQuorum([name, ...more]: readonly string[]): string | undefined {
    if (name === undefined || more.length > 0) return 'it is not "quorum <name>"';
    if (this.#quorum !== undefined) return 'there is a quorum already';
    this.#quorum = name;
    // Checked now, because a name defined on a later line does not count.
    return this.#fault(name);
  }

  // The policy as far as it goes must hold: a line may only name what stands before it.
  #fault(quorum: string = NO_QUORUM): string | undefined {
    try {
      this.#soFar(quorum);
      return undefined;
    } catch (error) {
      if (error instanceof FilewrightError) return `of this: ${error.message}`;
      throw error;
    }
  }

  #soFar(quorum: string): TrustPolicy {
    return requirePolicy({
      logs: [...this.#logs],
      witnesses: [...this.#witnesses],
      groups: [...this.#groups],
      quorum,
    });
  }
}

function thresholdOf(asked: string, members: number): number | undefined {
  if (asked === 'all') return members;
  if (asked === 'any') return 1;
  return COUNT.test(asked) ? Number(asked) : undefined;
}

function sizesOf([range, ...more]: readonly string[]): SizeRange | undefined {
  const [, first, last] = (more.length === 0 ? SIZES.exec(range ?? '') : null) ?? [];
  if (first === undefined) return undefined;
  return { first: Number(first), ...(last === undefined ? {} : { last: Number(last) }) };
}

function decode(word: string): string | undefined {
  try {
    return UTF8.decode(Buffer.from(word, 'latin1'));
  } catch {
    // The only thing it throws for is what the caller is told.
    return undefined;
  }
}

function refused(row: number, found: string): FilewrightError {
  const place = row === 0 ? '' : `line ${row}: `;
  return badInput(`Expected a tlog-policy file; ${place}${found}.`, {
    details: { line: row, reason: found },
  });
}
