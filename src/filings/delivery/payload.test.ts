import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Claim, Vault } from '../../core/ports.ts';
import { FilewrightError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/ids.ts';
import { openPayload } from './payload.ts';

const bytes = Buffer.from('{"a":1}');
const hash = sha256Hex(createHash('sha256').update(bytes).digest('hex'));

// Only what openPayload reads.
const claim = (payloadSha256: string): Claim =>
  ({ filing: { payloadSha256 }, payload: {} }) as unknown as Claim;
const vault = (open: () => Uint8Array): Vault => ({ open }) as unknown as Vault;

describe('the payload of a claim', () => {
  it('is the bytes that were frozen', () => {
    expect(
      openPayload(
        vault(() => bytes),
        claim(hash),
      ),
    ).toBe(bytes);
  });

  it('is refused when it is not what was frozen', () => {
    expect(
      openPayload(
        vault(() => Buffer.from('{"a":2}')),
        claim(hash),
      ),
    ).toBeUndefined();
  });

  it('is refused, without stopping the worker, when its seal is broken', () => {
    const broken = vault(() => {
      throw new FilewrightError('SEAL_BROKEN', 'tampered');
    });
    expect(openPayload(broken, claim(hash))).toBeUndefined();
  });

  it('does not hide any other error', () => {
    const failing = vault(() => {
      throw new TypeError('a bug');
    });
    expect(() => openPayload(failing, claim(hash))).toThrow(TypeError);
  });
});
