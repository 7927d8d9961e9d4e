/** Commands of ours: most of them work on an installation, which is opened for them and closed at their end. */
import { Command as PlainCommand } from 'commander';
import type { Context } from './context.ts';

export class Command extends PlainCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** What it does there, given its arguments and then its options. */
  inApp(work: (context: Context, ...given: never[]) => Promise<void>): this {
    return this.action(async (...all: unknown[]) => {
      // Only now: the program makes every command, to list it, and does one.
      const { withApp } = await import('./context.ts');
      // The parser gives arguments and options as they were declared, and the command itself last.
      const given = all.slice(0, -1) as never[];
      await withApp(this.optsWithGlobals(), (context) => work(context, ...given));
    });
  }
}
