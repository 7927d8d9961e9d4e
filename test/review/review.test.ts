/** Reviews end to end: a real PostgreSQL, a real portal, two people. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acceptFiling,
  assignFiling,
  rejectFiling,
} from '../../src/filings/acts/reviews-closing.ts';
import {
  approveReview,
  openProposal,
  proposeBulkReplay,
  proposeCorrection,
  proposeReplay,
  withdrawReview,
} from '../../src/filings/acts/reviews-proposals.ts';
import { openReview } from '../../src/filings/acts/reviews.ts';
import { keyOf } from '../../src/core/identity.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import { assignedPeople } from '../../src/filings/store/reviews.ts';
import { findBatch } from '../../src/filings/store/batches.ts';
import { findPayload, listExceptions } from '../../src/filings/store/filings.ts';
import { formerRevisions } from '../../src/filings/store/review-proposals.ts';
import { ReviewWorld } from './world.ts';
import { nowActs } from '../../src/access/acting.ts';

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.make();
});
afterAll(() => world.close());

const truth = (lane: string) => world.simulator.truth(lane).summary();
const why = 'the portal asked for it';

describe('a correction', () => {
  it('becomes the next revision under a new key once another person approves it, and is accepted', async () => {
    const { app, paula, arthur } = world;
    const { id, filing } = await world.refused();
    expect(filing).toMatchObject({ status: 'rejected', revision: 1 });
    const before = truth('US-DE').keysAccepted;
    const frozen = await findBatch(app.session, app.tenant, id);

    const made = await proposeCorrection(app, paula, {
      id: filing.id,
      reason: why,
      notFiled: undefined,
      wanted: { edits: [{ at: 'entity_name', value: 'The Right Name, Inc. \u0007' }] },
    });
    expect(made.changes).toEqual([
      { field: 'entity_name', old: expect.stringContaining('Entity'), new: 'The Right Name, Inc.' },
    ]);
    expect(made.gateChanges.map((change) => change.code)).toEqual([
      'CONTROL_CHARACTERS',
      'TRAILING_WHITESPACE',
    ]);
    // Proposed is not done.
    expect(await world.filing(filing.id)).toMatchObject({ status: 'rejected', revision: 1 });
    const { changes } = await openProposal(app, world.arthur, made.id);
    expect(changes).toEqual(made.changes);

    await approveReview(app, arthur, { id: made.id, expectHash: made.sha256 });
    const queued = await world.filing(filing.id);
    expect(queued).toMatchObject({ status: 'pending', revision: 2, batch: id });
    expect(queued.key).toBe(
      keyOf(
        {
          pack: 'entity',
          tenant: app.tenant,
          jurisdiction: 'US-DE',
          registryNumber: filing.entityId.replace('E-', ''),
          filingKind: filing.filingKind,
          period: filing.period,
        },
        2,
      ),
    );
    await world.run(id);
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted', revision: 2 });
    expect(truth('US-DE')).toMatchObject({ keysAccepted: before + 1, keysAcceptedTwice: 0 });
    const payload = parseStrictJson(
      app.vault.open(await findPayload(app.session, app.tenant, filing.id)),
    );
    expect(payload).toMatchObject({ entity_name: 'The Right Name, Inc.' });

    // The original is kept, and the batch is what it was.
    const [former] = await formerRevisions(app.session, app.tenant, filing.id);
    expect(former).toMatchObject({
      revision: 1,
      key: filing.key,
      payloadSha256: filing.payloadSha256,
    });
    expect(await findBatch(app.session, app.tenant, id)).toEqual(frozen);
    expect(await openProposal(app, world.arthur, made.id)).toMatchObject({ changes: made.changes });
  });

  it('may not make another obligation of it, may not pass a gate that refuses, and must change something', async () => {
    const { app, paula } = world;
    const { filing } = await world.refused();
    const correct = (at: string, value: string) =>
      proposeCorrection(app, paula, {
        id: filing.id,
        reason: why,
        notFiled: undefined,
        wanted: { edits: [{ at, value }] },
      });
    await expect(correct('registry_number', '999')).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
      message: expect.stringContaining('registry_number'),
    });
    await expect(correct('entity_name', '')).rejects.toMatchObject({
      code: 'GATE_REFUSED',
      message: expect.stringMatching(/SCHEMA at \/entity_name/),
    });
    await expect(
      correct('entity_name', `Entity ${filing.entityId.replace('E-', '')}`),
    ).rejects.toMatchObject({
      code: 'REFUSED_BY_RULE',
      message: expect.stringContaining('replay'),
    });
  });

  it('is refused while the first send may have been accepted, by the program and by the database', async () => {
    const { app, paula, arthur } = world;
    const correct = (id: string, notFiled: string | undefined) =>
      proposeCorrection(app, paula, {
        id,
        reason: why,
        notFiled,
        wanted: { edits: [{ at: 'fields.note', value: 'x' }] },
      });
    const asked = await world.unsettled('US-NY');
    // Where the portal can be asked, nobody's word takes the place of its answer.
    await expect(correct(asked.filing.id, 'by phone')).rejects.toMatchObject({
      code: 'MAY_BE_FILED',
    });
    const silent = await world.unsettled('US-CA');
    await expect(correct(silent.filing.id, undefined)).rejects.toMatchObject({
      code: 'MAY_BE_FILED',
    });
    // The same proposal without its evidence, smuggled in.
    const made = await correct(silent.filing.id, 'asked by phone');
    await world.app.session.transaction(async (run) => {
      const forged = '01900000-0000-7000-8000-0000000000aa';
      for (const text of [
        `insert into proposal (tenant, id, kind, subject, n, terms, sha256, reason, proposed_by)
         select tenant, '${forged}', kind, '${forged}', 1, terms, sha256, reason, proposed_by
         from proposal where id = '${made.id}'`,
        `insert into review_item select tenant, '${forged}', filing, n, action, revision, key, payload_sha256, payload_ct, null
         from review_item where proposal = '${made.id}'`,
        `alter table proposal disable trigger proposal_guard, disable trigger proposal_who_decides`,
        `update proposal p set sha256 = proposal_hash(p) where id = '${forged}'`,
        `alter table proposal enable always trigger proposal_guard, enable always trigger proposal_who_decides`,
      ])
        await run({ name: '', text });
    });
    const forged = await openProposal(app, world.arthur, '01900000-0000-7000-8000-0000000000aa');
    await expect(
      approveReview(app, arthur, {
        id: forged.proposal.id,
        expectHash: forged.proposal.sha256,
      }),
    ).rejects.toMatchObject({ code: '23001' });
    expect(await world.filing(silent.filing.id)).toMatchObject({ status: 'fallout', revision: 1 });
  });
});

describe('a replay', () => {
  it('sends the same bytes under the same key after another person has approved it', async () => {
    const { app, paula, arthur } = world;
    const { id, filing } = await world.refused();
    const made = await proposeReplay(app, paula, {
      id: filing.id,
      reason: why,
      notFiled: undefined,
    });
    world.simulator.behave('US-DE', { schedule: [] });
    await approveReview(app, arthur, { id: made.id, expectHash: made.sha256 });
    await world.run(id);
    const done = await world.filing(filing.id);
    const { key, payloadSha256, revision } = filing;
    expect(done).toMatchObject({ status: 'accepted', key, payloadSha256, revision });
    await expect(
      approveReview(app, arthur, { id: made.id, expectHash: made.sha256 }),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });

  it('of an unsettled filing asks the portal first, and finds that it had been accepted', async () => {
    const { app, paula, arthur } = world;
    const { id, filing } = await world.unsettled('US-NY');
    expect(filing).toMatchObject({ status: 'fallout' });
    const sent = truth('US-NY').requests;
    const made = await proposeReplay(app, paula, {
      id: filing.id,
      reason: why,
      notFiled: 'I am sure',
    });
    expect(made.items).toMatchObject([{ action: 'ask' }]);
    await approveReview(app, arthur, { id: made.id, expectHash: made.sha256 });
    await world.run(id);
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted' });
    expect(truth('US-NY').requests.submit).toBe(sent.submit);
    expect(truth('US-NY').keysAcceptedTwice).toBe(0);
  });

  it('of what cannot be asked wants evidence, which the hash covers', async () => {
    const { app, paula } = world;
    const { filing } = await world.unsettled('US-CA');
    const replay = (notFiled: string | undefined) =>
      proposeReplay(app, paula, { id: filing.id, reason: why, notFiled });
    await expect(replay(undefined)).rejects.toMatchObject({ code: 'MAY_BE_FILED' });
    const [one, other] = [await replay('asked by phone'), await replay('asked by mail')];
    expect(one.sha256).not.toBe(other.sha256);
  });

  it('is refused to the person who proposed it, also when they speak to the database directly', async () => {
    const { app, paula, arthur } = world;
    const { filing } = await world.refused();
    const made = await proposeReplay(app, paula, {
      id: filing.id,
      reason: why,
      notFiled: undefined,
    });
    await expect(
      approveReview(app, paula, { id: made.id, expectHash: made.sha256 }),
    ).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    const decide = (by: string, hash: string) =>
      world.sql(
        `update proposal set state = 'approved', decided_by = $3, decided_at = now(), sha256 = decode($4, 'hex')
         where tenant = $1 and id = $2`,
        [app.tenant, made.id, by, hash],
      );
    await expect(decide(paula.id, made.sha256)).rejects.toMatchObject({
      code: '23001',
      constraint: 'proposal_second_person',
    });
    await expect(decide(arthur.id, '00'.repeat(32))).rejects.toMatchObject({
      code: '23001',
      constraint: 'proposal_same_hash',
    });
    await expect(
      world.sql(
        `update filing set status = 'pending', step = '{"action":"send"}', next_at = now() where id = $1`,
        [filing.id],
      ),
    ).rejects.toMatchObject({ code: '23001', constraint: 'filing_reviewed' });
    expect(await world.filing(filing.id)).toMatchObject({ status: 'rejected' });
  });

  it('is refused for another hash than that of what would run, and for items that were added later', async () => {
    const { app, paula, arthur } = world;
    const [first, second] = [await world.refused(), await world.refused()];
    const made = await proposeReplay(app, paula, {
      id: first.filing.id,
      reason: why,
      notFiled: undefined,
    });
    const approve = (expectHash: string) => approveReview(app, arthur, { id: made.id, expectHash });
    await expect(approve('ab'.repeat(32))).rejects.toMatchObject({ code: 'HASH_DIFFERS' });
    const { filing } = second;
    await world.sql(
      `insert into review_item select e.tenant, $1, e.id, 1, 'send', e.revision, e.key, e.payload_sha256, e.payload_ct
       from envelope e where e.id = $2`,
      [made.id, filing.id],
    );
    await expect(approve(made.sha256)).rejects.toMatchObject({ code: 'HASH_DIFFERS' });
    await expect(
      world.sql(
        `update proposal set state = 'approved', decided_by = $3, decided_at = now()
         where tenant = $1 and id = $2`,
        [app.tenant, made.id, arthur.id],
      ),
    ).rejects.toMatchObject({ constraint: 'proposal_same_hash' });
    expect(await world.filing(first.filing.id)).toMatchObject({ status: 'rejected' });
  });

  it('that something has overtaken is stale as a whole; a withdrawn one never runs', async () => {
    const { app, paula, arthur } = world;
    const { filing } = await world.refused();
    const propose = () =>
      proposeReplay(app, paula, { id: filing.id, reason: why, notFiled: undefined });
    const [made, withdrawn] = [await propose(), await propose()];
    await withdrawReview(app, paula, { id: withdrawn.id, reason: 'it was a slip' });
    const approve = ({ id, sha256 }: { id: string; sha256: string }) =>
      approveReview(app, arthur, { id, expectHash: sha256 });
    await expect(approve(withdrawn)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await acceptFiling(app, paula, {
      id: filing.id,
      reason: why,
      receipt: 'R-1',
      evidence: { kind: 'text', text: 'seen on the portal' },
    });
    await expect(approve(made)).rejects.toMatchObject({ code: 'PROPOSAL_STALE' });
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted' });
  });
});

describe('many at once', () => {
  it('need the typed count; what runs is what the filter found then, in the order of slack', async () => {
    const { app, paula, arthur } = world;
    const { id, filings } = await world.batch(12);
    const refuse = filings.map(({ key }) => ({ fault: 'rejected_422' as const, key, nth: 1 }));
    world.simulator.behave('US-DE', { schedule: refuse.slice(0, 9) });
    await world.run(id);
    const filter = { batch: id, reason: 'HTTP_422' };
    const propose = (expectCount: number) =>
      proposeBulkReplay(app, paula, { filter, expectCount, reason: why });
    for (const count of [8, 10]) {
      await expect(propose(count)).rejects.toMatchObject({ code: 'COUNT_DIFFERS' });
    }
    const nobody = { batch: id, reason: 'CAPTCHA' };
    await expect(
      proposeBulkReplay(app, paula, { filter: nobody, expectCount: 0, reason: why }),
    ).rejects.toMatchObject({ code: 'COUNT_DIFFERS' });
    const made = await propose(9);
    expect(made.items).toHaveLength(9);
    const accepted = truth('US-DE').keysAccepted;
    await approveReview(app, arthur, { id: made.id, expectHash: made.sha256 });
    await world.run(id);
    expect(truth('US-DE')).toMatchObject({
      keysAccepted: accepted + 9,
      keysAcceptedTwice: 0,
      arrivedOverCeiling: 0,
    });
    expect(await listExceptions(app.session, app.tenant, { batch: id, limit: 20 })).toEqual([]);
  });

  it('are found by each name of a filter', async () => {
    const { app, paula } = world;
    const { id, filing } = await world.refused();
    const other = await world.refused();
    await assignFiling(app, paula, { id: filing.id, reason: why, to: 'Arthur Approver' });
    const batch = id;
    for (const filter of [
      { batch, lane: 'US-DE' },
      { batch, status: 'rejected' },
      { batch, kind: filing.filingKind },
      { entity: filing.entityId },
      { assigned: 'Arthur Approver' },
    ]) {
      const made = await proposeBulkReplay(app, paula, {
        filter,
        expectCount: 1,
        reason: why,
      });
      expect(made.items[0]?.filing, JSON.stringify(filter)).toBe(filing.id);
    }
    for (const filter of [
      { batch, lane: 'US-CA' },
      { batch, status: 'fallout' },
      { batch, kind: 'x' },
    ]) {
      await expect(
        proposeBulkReplay(app, paula, { filter, expectCount: 1, reason: why }),
      ).rejects.toMatchObject({ code: 'COUNT_DIFFERS' });
    }
    expect(other.filing.id).not.toBe(filing.id);
  });
});

describe('what one person does alone', () => {
  it('accepting as filed is final, notifies everyone, and keeps the evidence sealed', async () => {
    const { app, paula } = world;
    const { filing } = await world.unsettled('US-CA');
    const page = Buffer.from('<h1>Confirmation CA-77</h1>');
    await acceptFiling(app, paula, {
      id: filing.id,
      reason: why,
      receipt: 'CA-77',
      evidence: { kind: 'file', name: 'page.html', bytes: page },
    });
    expect(await world.filing(filing.id)).toMatchObject({ status: 'accepted', receipt: 'CA-77' });
    const [event] = await world.sql(
      `select body->>'type' as type from work where kind = 'event' and body->>'filing' = $1`,
      [filing.id],
    );
    expect(event).toEqual({ type: 'COMPLIANCE_FILING_COMPLETE' });
    const entries = await world.sql(
      `select convert_from(bytes, 'UTF8') as entry from ledger_entry where convert_from(bytes, 'UTF8') like '%accept_as_filed%'
         and convert_from(bytes, 'UTF8') like $1`,
      [`%${filing.id}%`],
    );
    expect(entries).toHaveLength(1);
    const entry = JSON.parse(String(entries[0]?.['entry'])) as Record<string, unknown>;
    expect(entry).toMatchObject({
      actor: { kind: 'user', id: paula.id },
      data: { from: 'fallout', to: 'accepted', reason: why, receipt: 'CA-77' },
    });
    expect(entries[0]?.['entry']).not.toContain('Confirmation');
    // Final: nothing opens it again.
    await expect(
      proposeReplay(app, paula, { id: filing.id, reason: why, notFiled: 'x' }),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
  });

  it('accepting with the receipt of another filing is refused, unless the portal gave one for both', async () => {
    const { app, paula } = world;
    const [first, second] = [await world.unsettled('US-CA'), await world.unsettled('US-CA')];
    const accept = (id: string, isShared?: boolean) =>
      acceptFiling(app, paula, {
        id,
        reason: why,
        receipt: 'CA-500',
        evidence: { kind: 'text', text: 'seen' },
        ...(isShared === undefined ? {} : { isShared }),
      });
    await accept(first.filing.id);
    await expect(accept(second.filing.id)).rejects.toThrow(first.filing.id);
    expect(await world.filing(second.filing.id)).toMatchObject({ status: 'fallout' });
    await accept(second.filing.id, true);
    expect(await world.filing(second.filing.id)).toMatchObject({ status: 'accepted' });
  });

  it('accepting without evidence, or rejecting behind the back of the review, is refused by the database', async () => {
    const { app, paula } = world;
    const { filing } = await world.unsettled('US-CA');
    const act = `insert into review_act (tenant, filing, n, no, act, by_person, reason, receipt) values
      ($1, $2, 1, 9, 'accepted_as_filed', $3, 'because', 'R')`;
    nowActs(paula);
    await expect(world.sql(act, [app.tenant, filing.id, paula.id])).rejects.toMatchObject({
      constraint: 'review_act_accepted_has_evidence',
    });
    for (const change of [`status = 'accepted', receipt = 'R'`, `status = 'rejected'`]) {
      await expect(
        world.sql(`update filing set ${change} where id = $1`, [filing.id]),
        change,
      ).rejects.toMatchObject({ constraint: 'filing_reviewed' });
    }
    await expect(
      acceptFiling(app, paula, {
        id: filing.id,
        reason: why,
        receipt: 'R',
        evidence: { kind: 'text', text: '' },
      }),
    ).rejects.toMatchObject({ code: 'INPUT_LIMIT' });
  });

  it('rejecting ends the matter; of what may have been filed only with evidence', async () => {
    const { app, paula } = world;
    const refused = await world.refused();
    const reject = (id: string, notFiled?: string) =>
      rejectFiling(app, paula, { id, reason: why, notFiled });
    await reject(refused.filing.id);
    expect(await world.filing(refused.filing.id)).toMatchObject({ status: 'rejected' });
    await expect(reject(refused.filing.id)).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    const silent = await world.unsettled('US-CA');
    await expect(reject(silent.filing.id)).rejects.toMatchObject({ code: 'MAY_BE_FILED' });
    await reject(silent.filing.id, 'the registry shows nothing');
    expect(await world.filing(silent.filing.id)).toMatchObject({ status: 'rejected' });
  });

  it('handing on names a person who exists, and leaves the filing where it is', async () => {
    const { app, paula } = world;
    const { filing } = await world.refused();
    const hand = (to: string) => assignFiling(app, paula, { id: filing.id, reason: why, to });
    await expect(hand('Nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await hand('Arthur Approver');
    const assigned = await assignedPeople(app.session, app.tenant, [filing.id]);
    expect(assigned.get(filing.id)).toBe('Arthur Approver');
    expect(await world.filing(filing.id)).toMatchObject({ status: 'rejected' });
  });
});

describe('what is shown and what is kept', () => {
  it('has the exact bytes of every answer, what the portal named as wrong, and every attempt', async () => {
    const { filing } = await world.refused();
    const file = await openReview(world.app, world.arthur, filing.id);
    expect(file.violations).toMatchObject([
      { code: expect.any(String), field: '/registeredAgent' },
    ]);
    expect(file.attempts).toMatchObject([{ attempt: 1, verdict: 'rejected', code: 'HTTP_422' }]);
    expect(file.attempts[0]?.exchange?.['body_base64']).toBe(
      Object(file.envelope['response'])['body_base64'],
    );
  });

  it('rows of the review are written once', async () => {
    for (const table of ['proposal', 'review_item', 'review_act', 'envelope_revision']) {
      await expect(world.sql(`update ${table} set tenant = tenant`), table).rejects.toMatchObject({
        code: '23001',
      });
      await expect(world.sql(`delete from ${table}`), table).rejects.toMatchObject({
        code: '23001',
      });
    }
    await expect(world.sql(`update envelope set revision = revision + 1`)).rejects.toMatchObject({
      code: '23001',
    });
  });

  it('verifies in the ledger, with every act of every person in it', async () => {
    expect(await world.ledgerStands()).toBe(true);
  });
});
