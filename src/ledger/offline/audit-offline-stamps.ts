/** The time stamps that lie beside the heads of an export, against these heads and against whoever is believed. */
import { join } from 'node:path';
import { toRfc3339 } from '../../core/index.ts';
import type { StampCertificate } from '../stamp/certificates.ts';
import { checkStamp, readAuthorities } from '../stamp/check-stamp.ts';
import { imprintOf } from '../stamp/request.ts';
import { demand, exists, Failure, namesIn, readRequired } from './audit-offline-files.ts';

const FOLDER = 'timestamps';
const AUTHORITIES = 'authorities.pem';
const STAMP_NAME = /^([1-9][0-9]{0,15})\.tsr$/;

export interface OfflineStamp {
  readonly origin: string;
  readonly size: number;
  readonly at: string;
  readonly authority: string;
}

/** Call it when the logs have been found to hold: their heads are believed here. Gives the newest stamp of each log. */
export async function checkStamps(
  logs: readonly {
    readonly folder: string;
    readonly log: { readonly origin: string; readonly size: number };
  }[],
  given: Uint8Array | undefined,
): Promise<{ readonly stamps: readonly OfflineStamp[]; readonly warnings: readonly string[] }> {
  const stamps: OfflineStamp[] = [];
  const warnings: string[] = [];
  const believed = given === undefined ? undefined : authoritiesOf(given, 'the file given');
  for (const { folder, log } of logs) {
    const names = (await namesIn(join(folder, FOLDER))).filter((name) => name !== AUTHORITIES);
    if (names.length === 0) continue;
    const authorities = believed ?? (await ownAuthorities(folder, warnings));
    let newest: OfflineStamp | undefined;
    for (const name of names) newest = await checkOne(folder, name, log, authorities);
    if (newest !== undefined) stamps.push(newest);
  }
  const spine = logs.find(({ log }) => log.origin.endsWith('/spine'));
  if (given !== undefined && spine !== undefined && stamps.length === 0) {
    throw new Failure('TIMESTAMP_MISSING', `${spine.folder} has no time stamp`);
  }
  return { stamps, warnings };
}

async function checkOne(
  folder: string,
  name: string,
  log: { readonly origin: string; readonly size: number },
  authorities: readonly StampCertificate[],
): Promise<OfflineStamp> {
  const path = join(folder, FOLDER, name);
  const size = Number(STAMP_NAME.exec(name)?.[1] ?? 0);
  if (size === 0) throw new Failure('TIMESTAMP_MALFORMED', `${path} is not named by a size`);
  const place = size === log.size ? 'checkpoint' : join('checkpoints', String(size));
  const note = join(folder, place);
  demand(await exists(note), 'FILE_MISSING', `${note} is missing, for which there is a stamp`);
  const imprint = imprintOf(await readRequired(note));
  if (imprint === undefined) throw new Failure('MALFORMED_CHECKPOINT', `${note} is no head`);
  const stamp = checkStamp(await readRequired(path), { imprint, authorities });
  if (!stamp.ok) throw new Failure(stamp.reason, `${path}: ${stamp.found}`);
  const { at, authority } = stamp;
  return { origin: log.origin, size, at: toRfc3339(at), authority };
}

async function ownAuthorities(
  folder: string,
  warnings: string[],
): Promise<readonly StampCertificate[]> {
  const path = join(folder, FOLDER, AUTHORITIES);
  if (!(await exists(path))) {
    warnings.push(`${folder}: no authority to hold time stamps against; see --timestamp-ca`);
    return [];
  }
  warnings.push(`${path} is from the export: self-consistency only`);
  return authoritiesOf(await readRequired(path), path);
}

function authoritiesOf(pem: Uint8Array, path: string): readonly StampCertificate[] {
  const read = readAuthorities(pem);
  if (!('found' in read)) return read;
  throw new Failure('TIMESTAMP_MALFORMED', `${path} names no authority: ${read.found}`);
}
