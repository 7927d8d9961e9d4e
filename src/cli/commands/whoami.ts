import type { Command } from '../command.ts';
import { whoami } from '../../oversight/index.ts';

export function addCommands(command: Command): void {
  command.inApp(async ({ app, out, actor }) => {
    const found = await whoami(app, actor);
    out.result('whoami', { ...found, id: found.id ?? null }, () =>
      found.kind === 'person'
        ? [
            found.name,
            `roles   ${found.roles.length === 0 ? 'none' : found.roles.join(', ')}`,
            ...(found.countsWith.length === 0
              ? []
              : [`counts as one person with  ${found.countsWith.join(', ')}`]),
            `tenant  ${found.tenant}`,
            `id      ${found.id ?? ''}`,
          ].join('\n')
        : `${found.name}, without a personal key: give one with --key-file to act as a person (tenant ${found.tenant}).`,
    );
  });
}
