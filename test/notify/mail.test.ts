/** One message against a real SMTP server: TLS, log-in, refusals for now and for good, and a line that goes dead. */
import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { instant } from '../../src/core/time.ts';
import { checkMailAddress, parseMailbox } from '../../src/people/notify/mail-address.ts';
import { type MailMessage, readMailUrl, sendMail } from '../../src/people/notify/mail.ts';
import { readReference } from '../../src/wire/reference.ts';
import { header, type MailServerStub, startMailServer, TLS } from './mail-server.ts';
import { ANY_PRIVATE } from '../../src/wire/private-networks.ts';

const MESSAGE: MailMessage = {
  messageId: '<n-1@filewright.local>',
  from: 'Filewright <filings@example.org>',
  to: 'agent@example.org',
  subject: 'Filing accepted: Müller',
  text: 'Grüße\n.\nend\n',
  date: instant(Date.UTC(2027, 2, 1, 12)),
};
const CA = { certificateAuthorities: [TLS.cert] };

let server: MailServerStub | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const at = (port: number, login = '', scheme = 'smtp') => ({
  url: `${scheme}://${login}localhost:${port}`,
  allowPrivateAddresses: ANY_PRIVATE,
});

describe('a message', () => {
  it('arrives in plain text with its stable id, after STARTTLS', async () => {
    server = await startMailServer();
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'sent',
      code: 'SMTP_250',
    });
    const [mail] = server.taken;
    expect(mail?.secure).toBe(true);
    expect(mail).toMatchObject({ from: 'filings@example.org', to: ['agent@example.org'] });
    const raw = mail?.raw ?? '';
    expect(header(raw, 'message-id')).toBe('<n-1@filewright.local>');
    expect(header(raw, 'auto-submitted')).toBe('auto-generated');
    expect(header(raw, 'date')).toContain('01 Mar 2027 12:00:00');
    expect(header(raw, 'content-type')).toContain('text/plain; charset=utf-8');
    expect(header(raw, 'subject')).toContain('=?UTF-8?');
  });

  it('goes in the clear only to a server that offers no TLS', async () => {
    server = await startMailServer({ hideSTARTTLS: true });
    expect(await sendMail(MESSAGE, at(server.port), CA)).toMatchObject({ verdict: 'sent' });
    expect(server.taken[0]?.secure).toBe(false);
  });

  it('is not sent to a server whose certificate is not trusted', async () => {
    server = await startMailServer();
    const outcome = await sendMail(MESSAGE, at(server.port));
    expect(outcome.verdict).toBe('transient');
    expect(server.taken).toEqual([]);
  });

  it('goes through TLS from the start with smtps', async () => {
    server = await startMailServer({ secure: true });
    expect(await sendMail(MESSAGE, at(server.port, '', 'smtps'), CA)).toMatchObject({
      verdict: 'sent',
    });
    expect(server.taken[0]?.secure).toBe(true);
  });

  it('is not sent into the house unless that is allowed', async () => {
    server = await startMailServer();
    const inside = { ...at(server.port), allowPrivateAddresses: false } as const;
    expect(await sendMail(MESSAGE, inside, CA)).toEqual({
      verdict: 'transient',
      code: 'ADDRESS_REFUSED',
    });
    expect(server.taken).toEqual([]);
  });
});

describe('the log-in', () => {
  const withAuth = (accepts: string) =>
    startMailServer({
      authOptional: false,
      onAuth: (auth, _session, callback) =>
        auth.password === accepts
          ? callback(null, { user: auth.username ?? '' })
          : callback(new Error('Invalid credentials')),
    });

  it('is made with the user and the password of the address, decoded', async () => {
    server = await withAuth('p@ss/word');
    const outcome = await sendMail(MESSAGE, at(server.port, 'filings:p%40ss%2Fword@'), CA);
    expect(outcome).toMatchObject({ verdict: 'sent' });
    expect(server.taken[0]).toMatchObject({ user: 'filings', secure: true });
  });

  it('with a wrong password is tried again later, because a person can correct it', async () => {
    server = await withAuth('right');
    const outcome = await sendMail(MESSAGE, at(server.port, 'filings:wrong@'), CA);
    expect(outcome).toEqual({ verdict: 'transient', code: 'SMTP_535' });
  });

  it('that the server misses is tried again later, too', async () => {
    server = await startMailServer({ authOptional: false });
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'transient',
      code: 'SMTP_530',
    });
  });

  it('never says the password where TLS is missing', async () => {
    let heard = false;
    server = await startMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => {
        heard = true;
        callback(null, { user: 'x' });
      },
    });
    const outcome = await sendMail(MESSAGE, at(server.port, 'filings:hush@'), CA);
    expect(outcome.verdict).toBe('transient');
    expect(heard).toBe(false);
    expect(server.taken).toEqual([]);
  });
});

describe('a server that', () => {
  it('greylists refuses for now', async () => {
    server = await startMailServer();
    server.recipient = (n) => (n === 1 ? 451 : 250);
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'transient',
      code: 'SMTP_451',
    });
    expect(await sendMail(MESSAGE, at(server.port), CA)).toMatchObject({ verdict: 'sent' });
  });

  it('does not know the recipient refuses for good', async () => {
    server = await startMailServer();
    server.recipient = () => 550;
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'permanent',
      code: 'SMTP_550',
      about: 'recipient',
    });
  });

  it('refuses the text for good, or for now', async () => {
    server = await startMailServer();
    server.verdict = (n) => (n === 1 ? 554 : 452);
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'permanent',
      code: 'SMTP_554',
      about: 'message',
    });
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'transient',
      code: 'SMTP_452',
    });
  });

  it('is gone after the text leaves the outcome unknown, and gets the same id again', async () => {
    server = await startMailServer();
    server.verdict = (n) => (n === 1 ? 'cut' : 250);
    expect(await sendMail(MESSAGE, at(server.port), CA)).toEqual({
      verdict: 'unknown',
      code: 'CUT_AFTER_DATA',
    });
    expect(await sendMail(MESSAGE, at(server.port), CA)).toMatchObject({ verdict: 'sent' });
    const ids = server.taken.map(({ raw }) => header(raw, 'message-id'));
    expect(ids).toEqual(['<n-1@filewright.local>', '<n-1@filewright.local>']);
  });

  it('falls silent is left when its time is over', async () => {
    server = await startMailServer({ onConnect: () => undefined });
    const from = performance.now();
    const outcome = await sendMail(MESSAGE, at(server.port), { ...CA, answerMs: 300 });
    expect(outcome.verdict).toBe('transient');
    expect(performance.now() - from).toBeLessThan(3_000);
  });

  it('is not there is tried again later', async () => {
    server = await startMailServer();
    const { port } = server;
    await server.close();
    server = undefined;
    expect(await sendMail(MESSAGE, at(port), CA)).toEqual({
      verdict: 'transient',
      code: 'UNREACHABLE',
    });
  });
});

describe('addresses and references', () => {
  it.each([
    'a@b\r\nBcc: c@d',
    'a b@c.de',
    '"a"@b.de',
    'a@[127.0.0.1]',
    '<a@b.de>',
    'a@b.de,c@d.de',
    '@b.de',
    'a@',
    `${'a'.repeat(250)}@b.de`,
  ])('%j is no address', (text) => {
    expect(() => checkMailAddress(text)).toThrow('Expected an email address');
  });

  it('a sender may have a name, without anything that needs quoting', () => {
    expect(parseMailbox('Zoë O’Neil <z@b.de>'.replace('’', "'"))).toEqual({
      name: "Zoë O'Neil",
      address: 'z@b.de',
    });
    expect(() => parseMailbox('A\r\nB <a@b.de>')).toThrow();
    expect(() => parseMailbox('A <a@b.de> <c@d.de>')).toThrow();
  });

  it('the server is read from its address, and a wrong one is not shown', () => {
    expect(readMailUrl('smtp://mail.example.org')).toMatchObject({ port: 587, secure: false });
    expect(readMailUrl('smtps://u:p@mail.example.org')).toMatchObject({
      port: 465,
      secure: true,
      auth: { user: 'u', pass: 'p' },
    });
    for (const wrong of [
      'http://user:hush@host',
      'smtp://user:50%hush@host',
      'smtp://%:hush@host',
    ]) {
      const reading = (): unknown => readMailUrl(wrong);
      expect(reading).toThrow(expect.objectContaining({ code: 'CREDENTIAL_UNREADABLE' }));
      expect(reading).not.toThrow('hush');
    }
  });

  it('a reference leads to a variable or a file of one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-mail-'));
    const file = join(folder, 'smtp');
    writeFileSync(file, 'smtp://host\n');
    expect(await readReference('env:SMTP', { SMTP: 'smtp://host' })).toBe('smtp://host');
    const list = join(folder, 'secrets.json');
    const secrets = [{ reference: `file:${file}` }];
    writeFileSync(list, JSON.stringify({ format: 1, secrets }));
    const listed = { FILEWRIGHT_SECRETS: list };
    expect(await readReference(`file:${file}`, listed)).toBe('smtp://host');
    await expect(readReference(`file:${file}`, {})).rejects.toThrow('no list of secrets');
    writeFileSync(file, 'one\ntwo\n');
    await expect(readReference(`file:${file}`, listed)).rejects.toThrow(`file:${file}`);
    await expect(readReference('env:MISSING', {})).rejects.toThrow('env:MISSING');
    await expect(readReference('smtp://user:hush@host', {})).rejects.not.toThrow('hush');
    rmSync(folder, { recursive: true });
  });
});
