/** The walks of docs/walks name files and functions that exist, and say truly how often they go from room to room. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'docs/walks');
/** From import to acknowledgement, or from a row to its receipt. */
const CROSSINGS_MAX = 15;

describe.each(readdirSync(folder))('%s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  const hops = [...text.matchAll(/^\d+\. `(src\/[^`]+)` `(\w+)`: \S/gm)].map(
    ([, file = '', what = '']) => ({ file, what }),
  );

  it('has nothing but hops in its list', () => {
    expect(hops.length).toBeGreaterThan(9);
    expect(hops).toHaveLength([...text.matchAll(/^\d+\. /gm)].length);
  });

  it.each(hops)('$file has $what', ({ file, what }) => {
    expect(existsSync(join(root, file))).toBe(true);
    expect(readFileSync(join(root, file), 'utf8')).toMatch(new RegExp(`\\b${what}\\b`));
  });

  it('counts its crossings, and they are few', () => {
    const rooms = hops.map(({ file }) => file.split('/')[1]);
    const crossings = rooms.filter((room, at) => at > 0 && room !== rooms[at - 1]).length;
    expect(text).toContain(`Crossings between rooms: ${crossings}.`);
    expect(crossings).toBeLessThanOrEqual(CROSSINGS_MAX);
  });
});
