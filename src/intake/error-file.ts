/** The error file on its way: written beside its place and put there in one step, or not at all. */
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { cannotWrite, type InputRow, type RowError } from '../core/index.ts';
import type { ErrorFormat } from './error-format.ts';

// One write for many rows; what is not yet written is small beside one record.
const BUFFER_BYTES = 64 * 1024;

export class ErrorFile {
  private readonly path: string;
  private readonly unique: string;
  private readonly format: ErrorFormat;
  /** Where the rows are written, and where that is put in the end; the same for /dev/null and pipes. */
  private place: { readonly from: string; readonly to: string } | undefined;
  private handle: FileHandle | undefined;
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;

  /** `unique` keeps two imports with the same error file from writing into each other's. */
  constructor(input: {
    readonly path: string;
    readonly unique: string;
    readonly format: ErrorFormat;
  }) {
    this.path = input.path;
    this.unique = input.unique;
    this.format = input.format;
  }

  async add(row: InputRow, errors: readonly RowError[]): Promise<void> {
    if (this.handle === undefined) {
      this.handle = await this.written(() => this.create());
      this.keep(this.format.head);
    }
    const { handle } = this;
    this.keep(this.format.row(row, errors));
    if (this.waitingBytes >= BUFFER_BYTES) await this.written(() => this.flush(handle));
  }

  /**
   * Puts the file in its place and gives its path; undefined when no row was refused. A file that is there from
   * before is then left alone: it may be the very input.
   */
  async finish(): Promise<string | undefined> {
    const { handle, place } = this;
    if (handle === undefined || place === undefined) return undefined;
    await this.written(async () => {
      await this.flush(handle);
      // Without it a power cut after the rename could leave the name without the bytes.
      if (place.from !== place.to) await handle.sync();
      await handle.close();
      if (place.from !== place.to) await rename(place.from, place.to);
    });
    this.handle = undefined;
    return this.path;
  }

  /** Removes what was written; to be called when the import failed. Does nothing after `finish`. */
  async abandon(): Promise<void> {
    const { handle, place } = this;
    if (handle === undefined || place === undefined) return;
    this.handle = undefined;
    await handle.close();
    if (place.from !== place.to) await rm(place.from, { force: true });
  }

  private async create(): Promise<FileHandle> {
    const found = await stat(this.path).catch(() => undefined);
    if (found?.isDirectory() === false && !found.isFile()) {
      // A file put in the place of /dev/null or a pipe would take it away.
      this.place = { from: this.path, to: this.path };
      return open(this.path, 'w');
    }
    // Behind a link, so that the link stays one.
    const to = found === undefined ? this.path : await realpath(this.path);
    this.place = { from: `${to}.${this.unique}.partial`, to };
    // Found out before any row is lost on the way there.
    if (found?.isDirectory() === true) await open(to, 'w');
    // `wx`: never into a file that is already there.
    return open(this.place.from, 'wx', 0o600);
  }

  private async written<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw cannotWrite(
        `The error file ${this.path}`,
        error,
        ', so refused rows would be lost; choose another file with --errors.',
      );
    }
  }

  private keep(bytes: Uint8Array): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private async flush(handle: FileHandle): Promise<void> {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    await handle.appendFile(bytes);
  }
}
