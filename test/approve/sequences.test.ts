/**
 * Three people do at random what people do to batches, and take filings in between. Whatever the order: nothing leaves that two
 * people did not see by exactly that hash, one open filing for each obligation, and ledger and rows hold. What they saw is kept here,
 * beside the program.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approveCancel,
  cancelBatch,
  refuseBatch,
  refuseCancel,
  withdrawFromBatch,
} from '../../src/filings/acts/batch-changes.ts';
import { answerAboutBatch, askAboutBatch } from '../../src/filings/acts/batch-questions.ts';
import { approve, importFile, proposeAgain } from '../../src/filings/acts/batches.ts';
import { takeFiling } from '../../src/filings/acts/hand.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { exportLedger } from '../../src/oversight/acts/audit-export.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { HandWorld } from '../hand/world.ts';
import { OPERATOR } from '../operator.ts';
import { missing, verify } from '../verify-py/python.ts';

/** More by environment: `FW_SEQUENCES=300`. */
const SEQUENCES = Number(process.env['FW_SEQUENCES'] ?? 6);
const STEPS = 18;
const ROWS = 4;
const YEAR = new Date().getUTCFullYear() + 2;
const HEADER =
  'jurisdiction,registry_number,entity_name,filing_kind,period,due,entity_id,fee,signatory';
const reason = 'as the client said by telephone';

const OPS = [
  'import',
  'correct',
  'look',
  'look',
  'approve',
  'approve',
  'approve_part',
  'refuse',
  'propose',
  'withdraw',
  'cancel',
  'cancel_approve',
  'cancel_refuse',
  'ask',
  'answer',
  'claim',
  'claim',
] as const;
const steps = fc.array(
  fc.record({
    op: fc.constantFrom(...OPS),
    who: fc.nat({ max: 2 }),
    pick: fc.nat({ max: 1_000 }),
    fee: fc.nat({ max: 3 }),
  }),
  { minLength: STEPS, maxLength: STEPS },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

let world: HandWorld;
let people: readonly PersonActor[];
beforeAll(async () => {
  world = await HandWorld.make();
  await world.lane();
  people = [world.paula, world.arthur, await world.third('Cara Third')];
}, 60_000);
afterAll(() => world?.close());

interface Line {
  readonly id: string;
  readonly key: string;
  readonly sha: string;
}

/** One sequence over entities of its own. */
class Play {
  readonly #first: number;
  /** By person and batch: the hash that they looked at. */
  readonly #seen = new Map<string, string>();
  /** Filings that an approval let go: what was in them when it was given. */
  readonly #agreed = new Map<string, string>();
  readonly batches: BatchId[] = [];

  constructor(first: number) {
    this.#first = first;
  }

  async step({ op, who, pick, fee }: Step): Promise<void> {
    const { app } = world;
    const person = people[who] ?? world.paula;
    const batch = this.batches[pick % Math.max(1, this.batches.length)];
    if (op === 'import' || op === 'correct') return this.#import(person, pick, fee, op);
    if (op === 'claim') return this.#claim(person);
    if (batch === undefined) return;
    switch (op) {
      case 'look':
        this.#seen.set(`${who}/${batch}`, hashOf(await linesOf(batch)));
        return;
      case 'approve':
      case 'approve_part':
        return this.#approve(person, batch, op === 'approve_part' ? pick : undefined, who);
      case 'refuse':
        return refuseBatch(app, person, { batch, reason });
      case 'propose':
        await proposeAgain(app, person, batch, reason);
        return;
      case 'withdraw': {
        const lines = await linesOf(batch);
        const one = lines[pick % Math.max(1, lines.length)];
        if (one !== undefined) await withdrawFromBatch(app, person, { filings: [one.id], reason });
        return;
      }
      case 'cancel':
        await cancelBatch(app, person, { batch, reason });
        return;
      case 'cancel_approve': {
        const [open] = await world.sql(
          `select encode(sha256, 'hex') as sha from proposal where kind = 'cancel' and subject = $1 and state = 'open'`,
          [batch],
        );
        await approveCancel(app, person, {
          batch,
          expectHash: open === undefined ? '0' : String(open['sha']),
        });
        return;
      }
      case 'cancel_refuse':
        return refuseCancel(app, person, { batch, reason });
      case 'ask':
        await askAboutBatch(app, person, { batch, question: 'is this really the right fee?' });
        return;
      case 'answer':
        return answerAboutBatch(app, person, { batch, n: 1, answer: 'it is the right fee' });
    }
  }

  async #import(person: PersonActor, pick: number, fee: number, op: 'import' | 'correct') {
    const rows = Array.from({ length: ROWS }, (_, at) => this.#first + at)
      .filter((_, at) => (pick >> at) % 2 === 0)
      .map(
        (n) =>
          `US-NV,N${n},Entity ${n},annual_list,${YEAR},${YEAR}-03-01,E-${n},${225 + fee}.00,Paula Signer`,
      );
    const path = join(world.folder, `play-${this.#first}.csv`);
    await writeFile(path, `${[HEADER, ...rows].join('\n')}\n`);
    const correct = op === 'correct' ? { correct: reason } : {};
    const { batch } = await importFile(world.app, person, { path, dryRun: false, ...correct });
    if (batch !== undefined) this.batches.push(batch);
  }

  /** Of what they looked at, and of nothing else. */
  async #approve(person: PersonActor, batch: BatchId, pick: number | undefined, who: number) {
    const seen = this.#seen.get(`${who}/${batch}`);
    if (seen === undefined) return;
    const lines = await linesOf(batch);
    const [waits] = await world.sql('select state, prepared_by from batch where id = $1', [batch]);
    const out = pick === undefined ? undefined : lines[pick % Math.max(1, lines.length)];
    const without = { filings: out === undefined ? [] : [out.id], reason };
    const before = new Set(await queued());
    const terms = await approve(world.app, person, batch, { sha256: seen }, 30, without);
    // The same party never; and what goes is what this person saw.
    expect(person.id).not.toBe(waits?.['prepared_by']);
    expect(terms.sha256).toBe(seen);
    const isFirst = waits?.['state'] === 'frozen';
    if (isFirst) expect(hashOf(lines)).toBe(seen);
    for (const id of await queued()) {
      if (before.has(id)) continue;
      expect(out?.id).not.toBe(id);
      const line = lines.find((one) => one.id === id);
      if (line !== undefined) this.#agreed.set(id, line.sha);
    }
  }

  async #claim(person: PersonActor): Promise<void> {
    const taken = await takeFiling(world.app, person, { lane: undefined });
    if (taken === undefined) return;
    const { id, payloadSha256 } = taken.filing;
    if (this.batches.includes(taken.filing.batch)) expect(this.#agreed.get(id)).toBe(payloadSha256);
  }
}

async function linesOf(batch: BatchId): Promise<readonly Line[]> {
  const rows = await world.sql(
    `select id, key, encode(payload_sha256, 'hex') as sha from envelope where batch = $1 and not withdrawn order by key collate "C"`,
    [batch],
  );
  return rows.map(({ id, key, sha }) => ({ id: String(id), key: String(key), sha: String(sha) }));
}

/** As the guide states it, made here by itself. */
function hashOf(lines: readonly Line[]): string {
  const text = lines.map(({ key, sha }) => `${key} ${sha}\n`).join('');
  return createHash('sha256').update(text).digest('hex');
}

async function queued(): Promise<readonly string[]> {
  const rows = await world.sql('select id from filing where next_at is not null');
  return rows.map(({ id }) => String(id));
}

async function expectSound(batches: readonly BatchId[]): Promise<void> {
  const twice = await world.sql(
    `select e.obligation from envelope e join filing f on f.id = e.id
     where not (f.status = 'rejected' and f.verdict = 'withdrawn') group by 1 having count(*) > 1`,
  );
  expect(twice).toEqual([]);
  const odd = await world.sql(
    `select e.id from envelope e join filing f on f.id = e.id
     where e.withdrawn <> (f.status = 'rejected' and f.verdict = 'withdrawn') or (e.withdrawn and f.attempt > 0)`,
  );
  expect(odd).toEqual([]);
  const report = await verifyLedger(world.app, OPERATOR, { bodies: false, rows: true });
  expect([report.ok, report.rows?.shown], batches.join()).toEqual([true, []]);
}

describe('any order of import, correction, withdrawal, refusal, approval, stop and claim', () => {
  let first = 10_000;
  let done = 0;

  it('keeps two people, one filing and one truth', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        first += 10;
        const play = new Play(first);
        for (const step of [{ op: 'import', who: 0, pick: 0, fee: 0 } as const, ...sequence]) {
          try {
            await play.step(step);
            done += 1;
          } catch (error) {
            // What is refused in words is as it should be; anything else is a fault.
            if (!(error instanceof FilewrightError) || error.code === 'BROKEN_INVARIANT')
              throw error;
          }
        }
        await expectSound(play.batches);
      }),
      { numRuns: SEQUENCES, endOnFailure: true },
    );
    // Most of it does something, or this would test refusals alone.
    expect(done).toBeGreaterThan(SEQUENCES * 5);
  }, 600_000);

  it.skipIf(missing)(
    'and a stranger finds the same in an export',
    async () => {
      const folder = join(world.folder, 'export');
      const scope = { kind: 'whole' } as const;
      await exportLedger(world.app, world.paula, { folder, scope, bodies: false, format: 'tiles' });
      expect(verify(folder)).toMatchObject({ ok: true, reason: null });
    },
    60_000,
  );
});
