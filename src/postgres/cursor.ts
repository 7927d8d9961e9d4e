import type { Row, Run, Statement } from './session.ts';

/** Some hundred kilobytes at a time, for rows of a few hundred bytes. */
const ROWS_AT_ONCE = 2_000;

/** Rows of a statement one by one, in the transaction of `run`: memory is the same for a hundred and for a million. */
export async function* cursorRows(
  run: Run,
  statement: Statement,
  values: readonly unknown[],
): AsyncGenerator<Row> {
  // One at a time in a transaction; named by the statement, so that two never meet.
  const name = `c_${statement.name.replaceAll(/[^a-z0-9]/g, '_')}`;
  await run({ name: '', text: `declare ${name} no scroll cursor for ${statement.text}` }, values);
  for (;;) {
    const rows = await run({ name: '', text: `fetch ${ROWS_AT_ONCE} from ${name}` });
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await run({ name: '', text: `close ${name}` });
}
