/** Reads the command line of a tool; what it does not take is answered with how to call it, not with a stack trace. */
export function orUsage<T>(usage: string, read: (argv: readonly string[]) => T): T {
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return read(argv);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exit(2);
  }
}
