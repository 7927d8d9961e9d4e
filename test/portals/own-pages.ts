/** A portal of pages that a test writes itself, and the driver in front of it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import { PortalWorld, shipped } from './world.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

export type Act = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const html = (text: string): string => `<!doctype html><html><body>${text}</body></html>`;
export const show =
  (text: string, headers: Readonly<Record<string, string>> = {}): Act =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(html(text));
  };
export const lead =
  (status: number, location: string): Act =>
  (_request, response) => {
    response.writeHead(status, { location, 'set-cookie': 'FWSESSION=t1; Path=/' });
    response.end();
  };
export const cut: Act = (request) => request.socket.destroy();

const FIELDS = [
  'dos_id',
  'entity_name',
  'filing_period',
  'filing_kind',
  'business_description',
  'reference',
];
export const inputs = FIELDS.map((name) => `<input name="${name}">`).join('');
export const LOGIN =
  '<form id="login" method="post" action="/login"><input name="user"><input name="password"></form>';
export const FORM = `<form id="statement" method="post" action="/statement/submit"><input type="hidden" name="csrf" value="c1">${inputs}</form>`;
export const DONE = '<div id="confirmation"><b id="receipt">NY-12345</b></div>';

export const HONEST: Readonly<Record<string, Act>> = {
  'GET /login': show(LOGIN),
  'POST /login': lead(303, '/statement'),
  'GET /statement': show(FORM),
  'POST /statement/submit': lead(303, '/statement/confirmation'),
  'GET /statement/confirmation': show(DONE),
};

export async function portal(acts: Readonly<Record<string, Act>>): Promise<{
  readonly world: PortalWorld;
  readonly profile: Profile;
  readonly seen: string[];
  readonly bodies: string[];
  readonly requests: IncomingMessage[];
}> {
  const seen: string[] = [];
  const bodies: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const line = `${request.method} ${request.url?.split('?')[0]}`;
      const body = Buffer.concat(chunks).toString('latin1');
      seen.push(line);
      bodies.push(body);
      requests.push(request);
      const act = { ...HONEST, ...acts }[line];
      if (act === undefined) response.writeHead(404).end();
      else act(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const world = await PortalWorld.open([shipped('us-tx')]);
  cleanup.push(() => world.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const profile = { ...shipped('us-ny'), baseUrl, allowPrivateAddresses: true };
  return { world, profile, seen, bodies, requests };
}

export const FILED = 'POST /statement/submit';
