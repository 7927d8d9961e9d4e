/** An office's document, sent again with every new event: what it held before is known, and only the new event is new. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/ports.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import { readDocketMapping } from '../../src/dockets/rules/docket/mapping-file.ts';
import { docketMessageSink } from '../../src/dockets/routing/intake.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { Stage } from './stage.ts';

let server: Server;
let stage: Stage;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server?.close());
afterEach(async () => stage?.close());

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

it('tomorrow’s document conflicts with nothing of today’s', async () => {
  stage = await Stage.set(server);
  const file = 'law/mappings/uspto-file-wrapper.json';
  const lines: LogRecord[] = [];
  const log = { write: (line: LogRecord): void => void lines.push(line) };
  const desk = docketMessageSink(
    { ...stage.parts, log },
    {
      mapping: readDocketMapping({ file, text: read(file) }),
    },
  );
  const send = (id: string, text: string): Promise<unknown> => {
    const bytes = Buffer.from(text);
    const sha256 = sha256Hex(createHash('sha256').update(bytes).digest('hex'));
    const unknown = { contentType: undefined, sentAt: undefined, isRepeat: false };
    return desk.commit({ id, bytes, sha256, source: 'office', ...unknown });
  };
  const count = async (what: string): Promise<number> =>
    Number((await stage.read(`select count(*) as n from ${what} and tenant = $1`))[0]?.['n']);

  const today = read('samples/patent-uspto-file-wrapper.json');
  await send('today', today);
  const before = await count('docket where true');
  expect(before).toBeGreaterThan(0);
  // What the mapping says that nobody needs is left out, but not in silence, and without a word of the document.
  expect(lines).toMatchObject([
    { event: 'docket.left_out', trace_id: 'today', error: '2 events left out by the mapping' },
  ]);
  const { patentFileWrapperDataBag: bag } = JSON.parse(today) as {
    patentFileWrapperDataBag: { eventDataBag: object[] }[];
  };
  bag[0]?.eventDataBag.push({
    eventCode: 'MCTFR',
    eventDescriptionText: 'Mail Final Rejection',
    eventDate: '2027-03-01',
  });
  await send('tomorrow', JSON.stringify({ count: 1, patentFileWrapperDataBag: bag }));
  expect(await count('docket where true')).toBe(before + 1);
  expect(await count("alert where kind = 'docket_conflict'")).toBe(0);
});
