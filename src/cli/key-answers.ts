/** What commands answer that make a key, or ask for one. */
import type { Context } from './context.ts';

export function keyData<T extends object>(
  data: T,
  key: string,
  keyFile: string | undefined,
): T & ({ key: string } | { keyFile: string }) {
  return keyFile === undefined ? { ...data, key } : { ...data, keyFile };
}

export function keyText(done: string, key: string, keyFile: string | undefined): string {
  return keyFile === undefined
    ? `${done} The personal key, shown once:\n${key}\nUse it as FILEWRIGHT_KEY.`
    : `${done} The personal key is in ${keyFile}; use it with --key-file.`;
}

export function tellWaiting(
  { out }: Pick<Context, 'out'>,
  command: string,
  name: string,
  waiting: {
    readonly proposal: string;
    readonly sha256: string;
    readonly code: string | undefined;
  },
): void {
  const { proposal, sha256, code } = waiting;
  out.result(command, { name, ...waiting }, () =>
    [
      `${name}: waits for approval by another administrator:`,
      `  filewright user approve ${proposal} --hash ${sha256}`,
      ...(code === undefined
        ? []
        : [
            `Give this code to ${name}, and to no one else; with the code of the administrator who approves, user enroll makes the key:`,
            code,
          ]),
    ].join('\n'),
  );
}
