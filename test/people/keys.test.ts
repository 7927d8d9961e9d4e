/** Keys belong to one person: several, each with its end; whatever is wrong with one, the refusal is the same. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PersonActor } from '../../src/access/actor.ts';
import type { Filewright } from '../../src/filewright.ts';
import {
  addOwnKey,
  enrollUser,
  listUserKeys,
  replaceKey,
  revokeKey,
} from '../../src/oversight/acts/user-keys.ts';
import { approveUser } from '../../src/oversight/acts/user-proposals.ts';
import { disableUser } from '../../src/oversight/acts/users.ts';
import { keyHash, personOf } from '../../src/people/acts/people.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { OPERATOR } from '../operator.ts';
import { Firm, founders, prepared, sent, twinOf, vouchedFor } from './firm.ts';

let firm: Firm;
let app: Filewright;
let ann: PersonActor;
let ben: PersonActor;

beforeAll(async () => {
  firm = await Firm.make();
});
afterAll(() => firm.close());
beforeEach(async () => {
  app = await firm.tenant();
  [ann, ben] = (await founders(app, 'Ann', 'Ben')) as [PersonActor, PersonActor];
});

it('several of one person are one person', async () => {
  const { key } = await addOwnKey(app, ann, { name: 'in the safe', days: 30 });
  const again = await personOf(app, key);
  expect(again).toEqual(ann);
  await expect(sent(app, await prepared(app, ann.id), again.id)).rejects.toMatchObject({
    code: 'SELF_APPROVAL',
  });
  const keys = (await listUserKeys(app, ann)).filter(({ person }) => person === ann.id);
  expect(keys).toMatchObject([{ name: 'first' }, { name: 'in the safe' }]);
});

it('that is unknown, expired, revoked, of another tenant or of somebody disabled is refused alike', async () => {
  const cleo = await vouchedFor(app, [ann, ben], 'Cleo');
  const own = await addOwnKey(app, cleo, { name: 'second' });
  const revoked = await addOwnKey(app, ann, { name: 'revoked' });
  await revokeKey(app, ann, revoked.id);
  const expired = 'fwk_expired';
  await app.session.run(
    {
      name: '',
      text: `insert into person_key (tenant, id, person, name, sha256, issued_by, expires_at)
        values ($1, gen_random_uuid(), $2, 'old', $3, $2, now() - interval '1 second')`,
    },
    [app.tenant, ann.id, keyHash(expired)],
  );
  await disableUser(app, ann, 'Cleo');
  const elsewhere = await firm.tenant();
  const [olga] = await founders(elsewhere, 'Olga');
  const abroad = await addOwnKey(elsewhere, olga as PersonActor, { name: 'abroad' });
  const refusals = new Set<string>();
  for (const key of ['fwk_unknown', expired, revoked.key, own.key, abroad.key]) {
    const error: unknown = await personOf(app, key).catch((refusal: unknown) => refusal);
    expect(error, key).toMatchObject({ code: 'BAD_CREDENTIAL' });
    refusals.add(String(error));
  }
  expect(refusals.size).toBe(1);
});

it('is written down as used at most once a minute', async () => {
  const { id, key } = await addOwnKey(app, ann, { name: 'watched' });
  const lastUsed = async () =>
    (await listUserKeys(app, ann)).find((one) => one.id === id)?.lastUsedAt;
  expect(await lastUsed()).toBeUndefined();
  await personOf(app, key);
  const first = await lastUsed();
  expect(first).toBeDefined();
  await personOf(app, key);
  expect(await lastUsed()).toBe(first);
  const back = `update person_key set last_used_at = now() - interval '61 seconds' where tenant = $1 and id = $2`;
  await app.session.run({ name: '', text: back }, [app.tenant, id]);
  await personOf(app, key);
  expect(await lastUsed()).toBeGreaterThanOrEqual(first ?? Number.POSITIVE_INFINITY);
});

it('that is lost is replaced by two others, for the same person; the old one ends', async () => {
  const cleo = await vouchedFor(app, [ann, ben], 'Cleo');
  const lost = await addOwnKey(app, cleo, { name: 'lost' });
  const asked = await replaceKey(app, ann, { name: 'Cleo' });
  if (asked.state !== 'waiting') throw new Error('it does not wait');
  await expect(personOf(app, lost.key)).resolves.toMatchObject({ name: 'Cleo' });
  const { code } = await approveUser(app, ben, { id: asked.proposal, sha256: asked.sha256 });
  await expect(personOf(app, lost.key)).rejects.toMatchObject({ code: 'BAD_CREDENTIAL' });
  const codes = [asked.code ?? '', code ?? ''];
  const { key } = await enrollUser(app, OPERATOR, { name: 'Cleo', codes });
  expect(await personOf(app, key)).toEqual(cleo);
});

it('that one administrator replaces alone makes its owner and everybody of theirs one with that administrator', async () => {
  await disableUser(app, ann, 'Ben');
  const dora = await twinOf(app, ann, 'Dora');
  expect(dora.party).toBe(ann.party);
  const issued = await replaceKey(app, ann, { name: 'Dora' });
  if (issued.state !== 'issued') throw new Error('it waits');
  expect((await personOf(app, issued.key)).party).toBe(ann.party);
  await expect(replaceKey(app, ann, { name: 'Ben' })).rejects.toMatchObject({ code: 'USAGE' });
});

it('of somebody else is revoked by an administrator only', async () => {
  const cleo = await vouchedFor(app, [ann, ben], 'Cleo', ['viewer']);
  const own = await addOwnKey(app, cleo, { name: 'second' });
  const mine = await listUserKeys(app, cleo);
  expect(new Set(mine.map(({ person }) => person))).toEqual(new Set([cleo.id]));
  const anns = (await listUserKeys(app, ann)).find(({ person }) => person === ann.id);
  await expect(revokeKey(app, cleo, anns?.id ?? '')).rejects.toMatchObject({
    code: 'NOT_PERMITTED',
  });
  await revokeKey(app, ann, own.id);
  await expect(personOf(app, own.key)).rejects.toMatchObject({ code: 'BAD_CREDENTIAL' });
});

it('stands in the ledger with its name and hash, and never itself', async () => {
  const { key } = await addOwnKey(app, ann, { name: 'written down' });
  const texts: string[] = [];
  for await (const entry of ledgerEntries(app.session, app.tenant, 'access')) {
    texts.push(Buffer.from(entry).toString('utf8'));
  }
  const all = texts.join('\n');
  expect(all).toContain(Buffer.from(keyHash(key)).toString('hex'));
  expect(all).toContain('written down');
  expect(all).not.toContain(key);
});
