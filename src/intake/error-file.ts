/** The error file on its way: written beside its place and put there in one step, or not at all. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { FilewrightError, type RowError } from '../core/index.ts';
import type { ErrorFormat } from './error-format.ts';
import type { InputRow } from './input-row.ts';

// One write for many rows; what is not yet written is small beside one record.
const BUFFER_BYTES = 64 * 1024;

/** A folder that is not there, or that this user may not write to: often that of the input itself, on a share. */
const UNWRITABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS']);

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
      this.handle = await this.create();
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

  private async create(): Promise<FileHandle> {
    try {
      // `wx`: never into a file that is already there.
      return await open(this.partialPath, 'wx', 0o600);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!UNWRITABLE.has(code)) throw error;
      throw new FilewrightError(
        'DATA_DIRECTORY',
        `The error file ${this.path} cannot be written (${code}), so refused rows would be lost; name another place with --errors`,
        { cause: error },
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
