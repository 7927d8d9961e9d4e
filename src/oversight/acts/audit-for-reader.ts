/** What goes with an export for whoever gets it and has nothing else: what it is, and the verifiers. */
import { type FilingId, type Instant, toRfc3339 } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { readmeText, type SignedLog, VERIFIERS, verifierScript } from '../../ledger/index.ts';
import type { ExportFolder } from '../../system/index.ts';

export type ExportScope =
  | { readonly kind: 'whole' }
  | { readonly kind: 'time'; readonly from: Instant; readonly to: Instant }
  | { readonly kind: 'filing'; readonly filing: FilingId };

/** The verifiers, and what they are, for a reader who has nothing else. */
export async function writeForReader(
  app: Filewright,
  folder: ExportFolder,
  about: {
    readonly scope: ExportScope;
    readonly exportedAt: string;
    readonly faults: readonly string[];
    readonly logs: readonly { readonly log: SignedLog; readonly prefix: string }[];
  },
): Promise<void> {
  const { scope, exportedAt, faults, logs } = about;
  for (const name of VERIFIERS) await folder.write(name, verifierScript(name));
  await folder.write(
    'README.txt',
    readmeText({
      title: `LEDGER OF ${app.instance}/${app.tenant}, EXPORTED ${exportedAt}`,
      scope: [
        `This folder holds ${scopeText(scope)}. MANIFEST.json has the counts, as written and as in the database.`,
        ...(faults.length === 0
          ? []
          : ['THE LEDGER DID NOT VERIFY WHEN THIS WAS WRITTEN:', ...faults]),
      ].join('\n'),
      logs,
      hasScript: true,
    }),
  );
}

export function scopeText(scope: ExportScope): string {
  switch (scope.kind) {
    case 'whole':
      return 'whole logs, from the first entry to the signed head';
    case 'time':
      return `entries recorded from ${toRfc3339(scope.from)} and before ${toRfc3339(scope.to)}, each with its proof`;
    case 'filing':
      return `entries about filing ${scope.filing}, each with its proof`;
  }
}
