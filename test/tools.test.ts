/** The developers' own commands: a call that they do not take is answered with how to call them. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const TOOLS = ['sim/main.js', 'sim/chaos/main.js', 'bench/main.js'];

function call(tool: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [`dist/${tool}`, ...args], { encoding: 'utf8' });
}

describe.each(TOOLS)('%s', (tool) => {
  it('tells how it is called', () => {
    const { status, stdout } = call(tool, '--help');
    expect(stdout).toMatch(/^(sim|chaos|bench) \[/);
    expect(status).toBe(0);
  });

  it('refuses what it does not know without a stack trace', () => {
    const { status, stdout, stderr } = call(tool, '--no-such-option');
    expect(stderr).toMatch(/--no-such-option[^]*\[/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect([status, stdout]).toEqual([2, '']);
  });
});

it('the bench has no figures for a part that it does not have', () => {
  const { status, stderr } = call('bench/main.js', 'makespam');
  expect(stderr).toMatch(/no part "makespam"[^]*makespan/);
  expect(status).toBe(2);
});
