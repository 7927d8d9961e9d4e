/** A command-line world with two people, a portal and filings that were sent; and both verifiers to judge what it exports. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyFolder } from '../../src/ledger/offline/audit-offline.ts';
import { CliWorld, envelopeOf, type Json, textAt, type Variables } from '../fixtures/cli.ts';
import { csv, row } from '../cli/rows.ts';
import { python, type Report, verify } from '../verify-py/python.ts';

export interface LedgerCli {
  readonly world: CliWorld;
  readonly paula: Variables;
  readonly arthur: Variables;
  /** Accepted filings in the order of their rows: E-1, E-2 ... */
  readonly filings: readonly string[];
  /** Imports, approves and sends rows with these numbers; the word goes into their sealed payloads. */
  send(numbers: readonly string[], word?: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function ledgerCli(count: number, word?: string): Promise<LedgerCli> {
  const world = await CliWorld.make();
  const paula = await world.person('Paula Preparer');
  const arthur = await world.person('Arthur Approver', paula);
  const portals = await world.portals({ code: 'US-DE' });
  for (const profile of portals.profiles) await world.data(['lane', 'add', profile], paula);
  const send = async (numbers: readonly string[], name = 'Entity'): Promise<readonly string[]> => {
    const rows = numbers.map((number) => row(number, { name: `${name} ${number}` }));
    const file = await world.file(`rows-${numbers[0]}.csv`, csv(...rows));
    const batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
    await world.data(['batch', 'approve', batch], arthur);
    const ended = await world.run(['batch', 'run', batch]);
    if (ended.code !== 0) throw new Error(`batch run: ${ended.code} ${ended.stderr}`);
    const { filings } = await world.data(['filing', 'list', '--batch', batch, '--limit', '1000']);
    if (!Array.isArray(filings)) throw new Error('no filings');
    // Ids of one millisecond are in no order; the entities are named by their rows.
    const rank = (filing: unknown): number => Number(textAt(filing, 'entity').slice(2));
    return filings
      .toSorted((a, b) => rank(a) - rank(b))
      .map((filing: unknown) => textAt(filing, 'id'));
  };
  const filings = await send(
    Array.from({ length: count }, (_, n) => String(n + 1)),
    word,
  );
  return { world, paula, arthur, filings, send, close: () => world.close() };
}

export interface Verdicts {
  readonly python: Report;
  readonly ours: { readonly code: number | null; readonly data: Json };
}

/** The same folder through both verifiers, as the commands that a reader types. */
export async function verdicts(
  world: CliWorld,
  folder: string,
  ...more: string[]
): Promise<Verdicts> {
  const ended = await world.run(['--json', 'audit', 'verify', folder, ...more], {
    // No database may be needed: one that is not there would be an error.
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  return {
    python: verify(folder, ...more),
    ours: { code: ended.code, data: envelopeOf(ended).data },
  };
}

/** The reasons of both without starting our program: for many tampered copies. */
export async function reasons(
  folder: string,
): Promise<{ readonly python: string | null; readonly ours: string | null }> {
  const ours = await verifyFolder(folder);
  return { python: verify(folder).reason, ours: ours.ok ? null : ours.reason };
}

/** A copy to be tampered with. */
export function copyOf(folder: string): { readonly path: string; remove(): void } {
  const top = mkdtempSync(join(tmpdir(), 'fw-tampered-'));
  const path = join(top, 'copy');
  cpSync(folder, path, { recursive: true });
  return { path, remove: () => rmSync(top, { recursive: true, force: true }) };
}

/** Runs shell lines with only these programs on the path: neither Node nor this repository. */
export function bareShell(lines: string, folder: string): { status: number | null; out: string } {
  const bin = mkdtempSync(join(tmpdir(), 'fw-bin-'));
  try {
    const names = [
      'sh',
      'openssl',
      'base64',
      'head',
      'tail',
      'sed',
      'cut',
      'mktemp',
      'sha256sum',
      'cat',
    ];
    for (const name of names) symlinkSync(which(name), join(bin, name));
    symlinkSync(python, join(bin, 'python3'));
    const run = spawnSync(join(bin, 'sh'), ['-e', '-c', lines], {
      cwd: folder,
      env: { PATH: bin, TMPDIR: tmpdir() },
      encoding: 'utf8',
    });
    return { status: run.status, out: run.stdout + run.stderr };
  } finally {
    rmSync(bin, { recursive: true, force: true });
  }
}

function which(name: string): string {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
  return stdout.trim();
}
