/** Files as the pipeline takes them: bytes that can be read twice, and what they are. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { misuse, notFound } from '../../core/index.ts';
import { AWARD_FORMATS, type AwardFormat } from '../rules/intake/award-record.ts';
import { FEED_FORMATS, type FeedFormat } from '../rules/feeds/feed-events.ts';
import type { AwardSource, FeedSource } from '../pipeline/contracts.ts';
import { unreadableFile } from '../../intake/index.ts';

const BY_ENDING: ReadonlyMap<string, AwardFormat> = new Map([
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.xml', 'xml'],
]);

const PATH_CHARACTERS_MAX = 2_000;

/** An award document; its ending says what it is, unless `format` does. */
export function awardFile(path: string, format?: string): AwardSource {
  const known = awardFormat(path, format);
  return { ...bytesOf(path), format: known };
}

/** A document below a lane's base address; a path that leads elsewhere is refused before anything is sent. */
export function awardPath(
  path: string,
  format?: string,
): { readonly path: string; readonly format: AwardFormat } {
  const isBelow = /^\/[\x21\x22\x24-\x5b\x5d-\x7e]*$/.test(path) && !hasDotSegment(path);
  if (!isBelow || path.length > PATH_CHARACTERS_MAX) {
    throw misuse(
      `Expected a path below the lane's address, like /awards/2026.json, found "${path}"`,
    );
  }
  return { path, format: awardFormat(path.replace(/\?.*$/, ''), format) };
}

function hasDotSegment(path: string): boolean {
  return path.split(/[/?]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

function awardFormat(path: string, format?: string): AwardFormat {
  const known =
    format === undefined
      ? BY_ENDING.get(extname(path).toLowerCase())
      : AWARD_FORMATS.find((one) => one === format);
  if (known === undefined) {
    throw misuse(
      `${path}: expected a format, one of ${AWARD_FORMATS.join(', ')}; give it with --format`,
    );
  }
  return known;
}

/** A bank feed; it says itself what it is, unless `format` does. */
export function feedFile(path: string, format?: string): FeedSource {
  const known: FeedFormat | 'detect' | undefined =
    format === undefined ? 'detect' : FEED_FORMATS.find((one) => one === format);
  if (known === undefined) {
    throw misuse(`--format: expected one of ${FEED_FORMATS.join(', ')}, found "${format}"`);
  }
  return { ...bytesOf(path), format: known };
}

function bytesOf(path: string): Pick<AwardSource, 'name' | 'open'> {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
  if (!statSync(path).isFile()) throw notFound(`${path} is not a file`);
  return { name: basename(path), open: () => createReadStream(path) };
}
