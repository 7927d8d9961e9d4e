/** A real TLS handshake that stands still: more than 3 s is a failure with its time, 2.9 s is none. */
import { afterAll, describe, expect, it } from 'vitest';
import { createHandoffs } from '../../src/people/notify/handoff/deliver.ts';
import type { HandoffOutcome } from '../../src/people/notify/handoff/handoff.ts';
import { triggersOf } from '../../src/dockets/rules/routing/triggers.ts';
import { ConnectionFailure } from '../../src/wire/failure.ts';
import { openConnection, targetOf } from '../../src/wire/connector.ts';
import { TLS } from '../notify/mail-server.ts';
import { FREE, load, parts, target } from './loads.ts';
import { type StallingTls, startStallingTls } from './stalling-tls.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const trusted = { certificateAuthorities: [TLS.cert] };

const servers: StallingTls[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function stalling(stallMs: number): Promise<StallingTls> {
  const server = await startStallingTls(stallMs);
  servers.push(server);
  return server;
}

const triggerCodes = ({ signs }: HandoffOutcome): readonly string[] =>
  signs.flatMap((sign) => triggersOf(sign).map(({ code }) => code));

describe('a handoff whose TLS handshake', { concurrent: true }, () => {
  it('takes 3.2 s fails after 3 s, triggers, and sends nothing', async () => {
    const server = await stalling(3_200);
    const outcome = await createHandoffs(parts(trusted)).deliver(
      target('http', server.url),
      load(),
      FREE,
    );
    expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'TLS_SLOW' } });
    expect(outcome.evidence.tlsHandshakeMs).toBeGreaterThan(3_000);
    expect(outcome.evidence.connectMs).toBeLessThan(3_000);
    expect(triggerCodes(outcome)).toEqual(['TLS_SLOW']);
    expect(server.requests()).toBe(0);
  });

  it('takes 2.9 s succeeds, triggers nothing, and says how long it took', async () => {
    let outcome: HandoffOutcome | undefined;
    // Only where this machine itself held the handshake back beyond 3 s is there another try.
    for (let n = 0; n < 5; n += 1) {
      const server = await stalling(2_900);
      outcome = await createHandoffs(parts(trusted)).deliver(
        target('http', server.url),
        load(),
        FREE,
      );
      if (outcome.kind === 'confirmed' || (server.stalls[0] ?? 9_999) < 2_940) break;
    }
    expect(outcome).toMatchObject({ kind: 'confirmed', receipt: 'R-1' });
    expect(outcome?.evidence.tlsHandshakeMs).toBeGreaterThan(2_500);
    expect(outcome === undefined ? ['none'] : triggerCodes(outcome)).toEqual([]);
  });

  it('takes 3.2 s is measured in full where the time-out is longer', async () => {
    const server = await stalling(3_200);
    const opened = await openConnection(targetOf(new URL(server.url)), {
      allowPrivateAddresses: ANY_PRIVATE,
      connectMsMax: 3_000,
      tlsHandshakeMsMax: 20_000,
      ...trusted,
    });
    expect(opened).not.toBeInstanceOf(ConnectionFailure);
    expect(opened.times.tlsHandshakeMs).toBeGreaterThan(3_000);
    if (!(opened instanceof ConnectionFailure)) opened.socket.destroy();
  });

  it('takes 3.2 s succeeds where its own limit is longer than the time-out', async () => {
    const server = await stalling(3_200);
    const own = { timeoutMs: 3_000, handshakeMs: 20_000, totalMs: 30_000 };
    const outcome = await createHandoffs(parts({ ...trusted, ...own })).deliver(
      target('http', server.url),
      load(),
      FREE,
    );
    expect(outcome).toMatchObject({ kind: 'confirmed', receipt: 'R-1' });
  });

  it('never ends is cut off at the time-out, and not when the server feels like it', async () => {
    const server = await stalling(60_000);
    const outcome = await createHandoffs(parts({ ...trusted, timeoutMs: 300 })).deliver(
      target('http', server.url),
      load(),
      FREE,
    );
    expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'TLS_SLOW' } });
    expect(outcome.evidence.tlsHandshakeMs).toBeGreaterThan(300);
    expect(outcome.evidence.tlsHandshakeMs).toBeLessThan(20_000);
  });

  it('ends with a certificate of someone else fails, and sends nothing', async () => {
    const server = await stalling(1);
    const outcome = await createHandoffs(parts()).deliver(target('http', server.url), load(), FREE);
    expect(outcome).toMatchObject({ kind: 'failed', evidence: { code: 'TLS' } });
    expect(server.requests()).toBe(0);
  });

  it('never ends because the lease is lost: it is given up at once', async () => {
    const server = await stalling(20_000);
    const controller = new AbortController();
    const guard = { mayWrite: () => true, signal: controller.signal };
    const delivering = createHandoffs(parts(trusted)).deliver(
      target('http', server.url),
      load(),
      guard,
    );
    controller.abort();
    const outcome = await delivering;
    expect(outcome.kind).toBe('failed');
    expect(outcome.evidence.elapsedMs).toBeLessThan(3_000);
  });
});
