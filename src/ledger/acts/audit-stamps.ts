/** The time stamps of a log, beside its heads in an export: the last of each day, and the newest. */
import { toRfc3339 } from '../../core/index.ts';
import type { ExportFolder } from '../../system/index.ts';
import type { Installation } from '../store/installation.ts';
import { stampsFrom } from '../store/timestamps.ts';
import type { SignedLog } from './audit-heads.ts';

const STAMPS_FOLDER = 'timestamps';
/** Whom to believe, as the exporting firm does; a reader takes it from elsewhere. */
const STAMP_AUTHORITIES = `${STAMPS_FOLDER}/authorities.pem`;

/** Gives the sizes of the heads that the stamps are of, so that these go along. */
export async function writeStamps(
  app: Installation,
  log: Pick<SignedLog, 'tenant' | 'boundary' | 'checkpoint'>,
  { folder, prefix }: { readonly folder: ExportFolder; readonly prefix: string },
  authorities: Uint8Array | undefined,
  only: (size: number) => boolean = () => true,
): Promise<ReadonlySet<number>> {
  const sizes = new Set<number>();
  let last: { readonly day: string; readonly size: number; readonly token: Uint8Array } | undefined;
  const keep = async (): Promise<void> => {
    if (last === undefined) return;
    await folder.write(`${prefix}${STAMPS_FOLDER}/${last.size}.tsr`, last.token);
    sizes.add(last.size);
  };
  for await (const { size, token, at } of stampsFrom(app.session, log)) {
    if (size > log.checkpoint.size) break;
    if (!only(size)) continue;
    const day = toRfc3339(at).slice(0, 10);
    if (last !== undefined && last.day !== day) await keep();
    last = { day, size, token };
  }
  await keep();
  if (sizes.size > 0 && authorities !== undefined) {
    await folder.write(prefix + STAMP_AUTHORITIES, authorities);
  }
  return sizes;
}
