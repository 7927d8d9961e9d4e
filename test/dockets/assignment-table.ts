/** An assignment table that can be told how to answer, on a real HTTP server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

export class AssignmentTable {
  readonly asked: Asked[] = [];
  status = 200;
  body = '{"assigned_to": null}';
  /** Takes the question and never answers. */
  isSilent = false;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://table');
      const query = Object.fromEntries(url.searchParams);
      this.asked.push({ query, authorization: request.headers.authorization });
      if (this.isSilent) return;
      response.writeHead(this.status, { 'content-type': 'application/json' }).end(this.body);
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    // Listening TCP servers have an address object.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/assignments`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
