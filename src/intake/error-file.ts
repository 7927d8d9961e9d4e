/** The error file on its way: written beside its place and put there in one step, or not at all. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { RowError } from '../core/index.ts';
import type { ErrorFormat } from './error-format.ts';
import type { InputRow } from './input-row.ts';

// One write for many rows; what is not yet written is small beside one record.
const BUFFER_BYTES = 64 * 1024;

export class ErrorFile {
  private readonly path: string;
  private readonly partialPath: string;
  private readonly format: ErrorFormat;
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
    this.partialPath = `${input.path}.${input.unique}.partial`;
    this.format = input.format;
  }

  async add(row: InputRow, errors: readonly RowError[]): Promise<void> {
    if (this.handle === undefined) {
      // `wx`: never into a file that is already there.
      this.handle = await open(this.partialPath, 'wx', 0o600);
      this.keep(this.format.head);
    }
    this.keep(this.format.row(row, errors));
    if (this.waitingBytes >= BUFFER_BYTES) await this.flush(this.handle);
  }

  /**
   * Puts the file in its place and gives its path; undefined when no row was refused. A file that is there from
   * before is then left alone: it may be the very input.
   */
  async finish(): Promise<string | undefined> {
    const { handle } = this;
    if (handle === undefined) return undefined;
    await this.flush(handle);
    // Without it a power cut after the rename could leave the name without the bytes.
    await handle.sync();
    await handle.close();
    this.handle = undefined;
    await rename(this.partialPath, this.path);
    return this.path;
  }

  /** Removes what was written; to be called when the import failed. Does nothing after `finish`. */
  async abandon(): Promise<void> {
    const { handle } = this;
    if (handle === undefined) return;
    this.handle = undefined;
    await handle.close();
    await rm(this.partialPath, { force: true });
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
