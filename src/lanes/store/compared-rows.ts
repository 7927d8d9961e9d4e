/** Lanes as they are held against the ledger: the profile by its hash, which is made from the row and not read from it. */
import { sha256Of } from '../../core/index.ts';
import type { FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, type Run, sql, text } from '../../postgres/index.ts';

const LANES = sql('compared-lanes')`
select code, profile, profile_sha256, origin, effect, ceiling, ver from lane where tenant = $1`;

export async function* comparedLanes(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, LANES, [tenant])) {
    const { profile, profile_sha256: stored, origin } = row;
    const isPortal = typeof profile === 'string';
    yield {
      kind: 'lane',
      id: text(row['code']),
      // A target of dockets and a webhook have no profile; the ledger hears of them when something happens.
      isQuiet: !isPortal,
      fields: {
        profile_sha256: isPortal ? sha256Of(profile) : null,
        stored_sha256: stored === null ? null : hex(stored),
        origin: isPortal ? originOf(profile) : null,
        stored_origin: origin === null ? null : text(origin),
        effect: text(row['effect']),
        ceiling: Number(row['ceiling']),
        ver: Number(row['ver']),
      },
    };
  }
}

function originOf(profile: string): string | null {
  // An object by a check constraint.
  const url = String((JSON.parse(profile) as { readonly baseUrl?: unknown }).baseUrl);
  return URL.canParse(url) ? new URL(url).origin : null;
}
