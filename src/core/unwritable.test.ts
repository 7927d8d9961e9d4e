import { describe, expect, it } from 'vitest';
import { cannotWrite } from './unwritable.ts';

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: in the words of the system`), { code });

describe('an output that cannot be written', () => {
  it.each([
    ['EACCES', 'OUTPUT_UNWRITABLE', 1],
    ['ENOENT', 'OUTPUT_UNWRITABLE', 1],
    ['EISDIR', 'OUTPUT_UNWRITABLE', 1],
    ['EROFS', 'OUTPUT_UNWRITABLE', 1],
    ['ENOSPC', 'DISK_FULL', 75],
    ['EDQUOT', 'DISK_FULL', 75],
  ])('%s is %s with exit code %i, in words', (system, code, exitCode) => {
    const error = cannotWrite('a.csv', failure(system), '; name another');
    expect(error).toMatchObject({ code, exitCode });
    expect(String(error)).toMatch(/a\.csv cannot be written: [a-z -]+; name another$/);
  });

  it('what is no failure of the file system stays what it is', () => {
    for (const error of [new TypeError('a bug'), failure('ECONNREFUSED'), 'text', undefined])
      expect(cannotWrite('a.csv', error)).toBe(error);
  });
});
