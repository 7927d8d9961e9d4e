/** What to type at the office, and the confirmation that came back. */
import { writeFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { handSheet, openEvidence, sheetPdf, sheetText } from '../../filings/index.ts';
import { parseRfc3339, shownTime, toRfc3339 } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import { stateJson } from './hand-state.ts';

export function addSheets(hand: Command): void {
  hand
    .command('sheet <filing>')
    .description(
      'what to type, in the order of the form: each value as it was approved, fee and page',
    )
    .option('--pdf <file>', 'also write it as a PDF, for paper')
    .inApp(async ({ app, out, actor }, name: string, own: { pdf?: string }) => {
      const sheet = await handSheet(app, actor, name);
      if (own.pdf !== undefined) {
        // Only for its owner: the values are those of a sealed payload.
        writeWhole(own.pdf, await sheetPdf(sheet, app.clock.now()));
      }
      const { filing, state } = sheet;
      const data = {
        ...sheet,
        filing: filing.id,
        entity: filing.entityId,
        lane: filing.lane,
        state: stateJson(state),
        due: toRfc3339(sheet.due),
        lastSafe: toRfc3339(sheet.lastSafe),
        pdf: own.pdf ?? null,
      };
      out.result('hand sheet', data, () =>
        own.pdf === undefined
          ? sheetText(sheet)
          : `${sheetText(sheet)}\n\nWritten to ${own.pdf}. It shows what is sealed here; destroy it when the filing is done.`,
      );
    });
  hand
    .command('evidence <filing>')
    .description('open the confirmation that was recorded with a filing by hand')
    .option('--out <file>', 'write the file there, byte for byte')
    .inApp(async ({ app, out, actor }, name: string, own: { out?: string }) => {
      const { bytes, ...found } = await openEvidence(app, actor, name);
      if (own.out !== undefined) writeFileSync(own.out, bytes, { mode: 0o600, flag: 'wx' });
      const data = { ...found, bytes: bytes.length, out: own.out ?? null };
      out.result('hand evidence', data, () =>
        [
          `receipt   ${found.receipt}`,
          `filed at  ${filedAtText(found)}`,
          `file      ${found.name ?? 'a text'} (${found.type}, ${bytes.length} bytes)`,
          `sha256    ${found.sha256}`,
          ...(found.type === 'text' ? ['', Buffer.from(bytes).toString('utf8')] : []),
          ...(own.out === undefined ? [] : [`Written to ${own.out}.`]),
        ].join('\n'),
      );
    });
}

function filedAtText({
  filedAt,
  zone,
}: {
  readonly filedAt: string | undefined;
  readonly zone: string;
}) {
  return shownTime(filedAt === undefined ? undefined : parseRfc3339(filedAt), zone);
}
