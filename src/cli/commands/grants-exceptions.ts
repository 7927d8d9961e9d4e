/** The compliance exception ledger: nothing in it moves until two people have agreed. */
import type { Command } from '../command.ts';
import type { ExceptionSummary, ExceptionView, Resolution } from '../../grants/index.ts';
import { checkReason, misuse } from '../../core/index.ts';
import { checkUuid } from '../arguments.ts';
import { table } from '../output.ts';
import { acting } from './grants-reconcile.ts';

interface FormatOption {
  readonly format?: string;
}

interface ResolveOptions {
  readonly document?: string;
  readonly asItCame?: true;
  readonly dismiss?: true;
  readonly approve?: true;
  readonly withdraw?: true;
  readonly reason?: string;
  readonly format?: string;
}

export function addGrantsExceptions(grants: Command): void {
  addCommands(
    grants.command('exceptions').description('grant exceptions; two people resolve each one'),
  );
}

function addCommands(exceptions: Command): void {
  addList(exceptions);
  addShow(exceptions);
  addResolve(exceptions);
  addReingest(exceptions);
}

function addList(exceptions: Command): void {
  exceptions
    .command('list')
    .description('open exceptions; with --all also resolved ones')
    .option('--all', 'include resolved ones')
    .inApp(async ({ app, out, actor }, own: { all?: true }) => {
      const { openGrants } = await import('../../grants/index.ts');
      const { sequenceAll } = await import('../../ledger/index.ts');
      const found = await openGrants(app, actor).exceptions.list(
        own.all === true ? {} : { isOpen: true },
      );
      await sequenceAll(app);
      out.result('grants exceptions list', { exceptions: found }, () => listWords(found));
    });
}

function addShow(exceptions: Command): void {
  exceptions
    .command('show <exception>')
    .description('one exception with its sealed envelope; needs your personal key')
    .action(async (id: string, _own: object, command: Command) =>
      acting(command, async ({ out }, pipeline) => {
        checkUuid('exception', id);
        const found = await pipeline.exceptions.show(id);
        out.result('grants exceptions show', found, () => showWords(found).join('\n'));
      }),
    );
}

function addResolve(exceptions: Command): void {
  exceptions
    .command('resolve <exception>')
    .description('propose a corrected document or a dismissal; a second person approves it')
    .option('--document <file>', 'propose this corrected document, with exactly one award')
    .option('--format <format>', 'format of the document, if its extension does not show it')
    .option(
      '--as-it-came',
      'propose its content as received, in place of the award that it contradicts',
    )
    .option('--dismiss', 'propose to dismiss it without a corrected document')
    .option('--approve', 'approve another person’s proposal')
    .option('--withdraw', 'withdraw the proposal')
    .option('--reason <text>', 'reason; required except with --approve; recorded in the ledger')
    .action(async (id: string, own: ResolveOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        checkUuid('exception', id);
        const act = await actOf(own);
        switch (act.kind) {
          case 'approve':
            await pipeline.exceptions.approve(id, person.id);
            break;
          case 'withdraw':
            await pipeline.exceptions.withdraw(id, person.id, act.reason);
            break;
          case 'propose':
            await pipeline.exceptions.propose(id, act.resolution, person.id);
        }
        const { state } = await pipeline.exceptions.show(id);
        out.result('grants exceptions resolve', { exception: id, state }, () => NEXT[state]);
      }),
    );
}

function addReingest(exceptions: Command): void {
  exceptions
    .command('reingest <exception> [file]')
    .description(
      'import the approved document as a new record that references the old one; no file if it was approved as received',
    )
    .option('--format <format>', 'format of the document, if its extension does not show it')
    .action(async (id: string, given: string | undefined, own: FormatOption, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        checkUuid('exception', id);
        const { awardFile } = await import('../../grants/index.ts');
        const source = given === undefined ? undefined : awardFile(given, own.format);
        const file = given ?? 'The payload as received';
        const report = await pipeline.exceptions.reingest(id, source, person.id);
        const { replacedBy } = await pipeline.exceptions.show(id);
        out.result('grants exceptions reingest', { exception: id, replacedBy, ...report }, () =>
          replacedBy === undefined
            ? `${file} is imported.`
            : `${file} is imported as ${replacedBy}; it references exception ${id}.`,
        );
      }),
    );
}

const NEXT: Readonly<Record<ExceptionSummary['state'], string>> = {
  open: 'No proposal is open.',
  proposed: 'Proposed. A second person approves it with grants exceptions resolve --approve.',
  approved: 'Approved. Import the document with grants exceptions reingest.',
  dismissed: 'Dismissed; the exception record is kept.',
  cancelled:
    'Canceled: no further payment is expected, and no further report is owed, for this award.',
  reingested: 'Imported again.',
};

type Act =
  | { readonly kind: 'approve' }
  | { readonly kind: 'withdraw'; readonly reason: string }
  | { readonly kind: 'propose'; readonly resolution: Resolution };

async function actOf(own: ResolveOptions): Promise<Act> {
  const chosen = [own.document, own.asItCame, own.dismiss, own.approve, own.withdraw].filter(
    (one) => one !== undefined,
  );
  if (chosen.length !== 1) {
    throw misuse(
      'Expected one of --document FILE, --as-it-came, --dismiss, --approve and --withdraw',
    );
  }
  if (own.approve === true) return { kind: 'approve' };
  const reason = checkReason('--reason', own.reason);
  if (own.withdraw === true) return { kind: 'withdraw', reason };
  if (own.asItCame === true) {
    return { kind: 'propose', resolution: { kind: 'as-it-came', reason } };
  }
  if (own.document === undefined)
    return { kind: 'propose', resolution: { kind: 'dismiss', reason } };
  const { awardFile } = await import('../../grants/index.ts');
  const source = awardFile(own.document, own.format);
  return { kind: 'propose', resolution: { kind: 'reingest', source, reason } };
}

const OPTIONS: Readonly<Record<ExceptionView['options'][number], string>> = {
  'as-it-came': '--as-it-came',
  reingest: '--document FILE',
  dismiss: '--dismiss',
};

function wordsOf(options: ExceptionView['options']): string {
  return options.map((option) => OPTIONS[option]).join(', ');
}

function listWords(found: readonly ExceptionSummary[]): string {
  if (found.length === 0) return 'No exception is open.';
  return table(
    ['exception', 'from', 'cause', 'violations', 'opened', 'state'],
    found.map((one) => [
      one.id,
      one.from,
      one.escalationCode,
      one.violationCodes.join(' '),
      one.openedAt,
      one.state,
    ]),
  );
}

function showWords({ envelope, acts, ...view }: ExceptionView): string[] {
  const { compliance_metadata: metadata, violations } = envelope;
  const facts: readonly (readonly [string, string])[] = [
    ['exception', view.id],
    ['state', view.state],
    ['from', view.from],
    ['cause', view.escalationCode],
    ['compliance state', metadata.compliance_state],
    ['payload hash', envelope.payload_hash],
    ['envelope hash', envelope.envelope_hash],
    ['idempotency key', view.idempotencyKey],
    ...(view.amends === undefined ? [] : [['amends award', view.amends] as const]),
    ['replaced by', view.replacedBy ?? '-'],
    ...(view.options.length === 0 ? [] : [['you can propose', wordsOf(view.options)] as const]),
  ];
  return [
    ...facts.map(([name, value]) => `${name.padEnd(18)}${value}`),
    ...violations.map(
      ({ code, field, message }) =>
        `violation         ${field === '' ? 'record' : field}: ${code}: ${message}`,
    ),
    ...metadata.audit_trail.map(
      (one) => `retry             ${one.at}  attempt ${one.attempt_count}: ${one.last_error_code}`,
    ),
    ...acts.map(
      (one) =>
        `act               ${one.at}  ${one.act} ${one.resolution} by ${one.by}: ${one.reason}`,
    ),
    'payload as received:',
    JSON.stringify(envelope.original_payload, null, 2),
  ];
}
