/** The parts of a workbook: a zip of XML files. Parts are read one after another, as streams, within their bounds. */
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { badInput, overLimit } from '../../../core/index.ts';
import { PARTS_MAX } from './limits.ts';

export class XlsxPackage {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly path: string;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(path: string): Promise<XlsxPackage> {
    const zip = await openPromise(path, { autoClose: false, validateEntrySizes: true }).catch(
      (cause: unknown) => {
        throw damaged(path, cause);
      },
    );
    try {
      if (zip.entryCount > PARTS_MAX) {
        const found = `Expected at most ${PARTS_MAX} parts in the workbook ${path}, found ${zip.entryCount}.`;
        throw overLimit(`${found} Save the sheet as CSV.`);
      }
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      return new XlsxPackage(path, zip, entries);
    } catch (error) {
      zip.close();
      throw damaged(path, error);
    }
  }

  close(): void {
    this.#zip.close();
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Undefined where the workbook has no such part. What says that it is larger than the bound is not unpacked at all. */
  async part(name: string, bytesMax: number): Promise<Readable | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.uncompressedSize > bytesMax) {
      throw overLimit(
        `Expected at most ${bytesMax} bytes in the part ${name} of ${this.path}, found ${entry.uncompressedSize}. Save the sheet as CSV.`,
      );
    }
    return this.#zip.openReadStreamPromise(entry, {}).catch((cause: unknown) => {
      throw damaged(this.path, cause);
    });
  }
}

export function damaged(path: string, cause: unknown): Error {
  if (cause instanceof Error && cause.name === 'FilewrightError') return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return badInput(
    `Expected a workbook (.xlsx) in ${path}, but it cannot be read: ${why}. Open it in your spreadsheet program, save it again, or save the sheet as CSV.`,
    { cause },
  );
}
