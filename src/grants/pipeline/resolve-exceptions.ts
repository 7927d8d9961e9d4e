/** What two people do with an exception: the fallback keeps their words, ingestion carries them out. */
import { type AwardId, canonicalBytes, ruledOut } from '../../core/index.ts';
import type {
  AwardSource,
  ExceptionOption,
  Exceptions,
  Pipeline,
  Resolution,
} from './contracts.ts';
import {
  decide,
  type FallbackDeps,
  listExceptions,
  propose,
  showException,
  takeOver,
} from './fallback/exceptions.ts';
import {
  askForAmendment,
  askForCancellation,
  carryOutCancellations,
  checkCorrection,
  isStanding,
} from './ingestion/amendments.ts';
import { ingestAwards } from './ingestion/ingest-awards.ts';
import type { IngestionDeps } from './ingestion/ingestion-deps.ts';

interface StageStores {
  readonly ingestion: IngestionDeps;
  readonly fallback: FallbackDeps;
}

type Shown = Awaited<ReturnType<typeof showException>>;

/** Of these the payload is an award that can stand in place of the one that stands. */
const WITH_AN_AWARD: ReadonlySet<string> = new Set(['AWARD_CONTRADICTION', 'AWARD_AMENDMENT']);

export function openExceptions(stores: StageStores): Exceptions {
  const { ingestion, fallback } = stores;
  // A crash before either leaves what was agreed or left where it is; the next call finds it.
  const catchUp = async (): Promise<void> => {
    await takeOver(fallback);
    await carryOutCancellations(ingestion);
  };
  return {
    list: async (filter) => {
      await catchUp();
      return listExceptions(fallback, filter);
    },
    show: async (id) => {
      await catchUp();
      const shown = await showException(fallback, id);
      return { ...shown, options: await optionsOf(ingestion, shown) };
    },
    propose: async (id, resolution, by) => {
      await catchUp();
      const shown = await showException(fallback, id);
      const wanted = await checked(ingestion, shown, resolution);
      await propose(fallback, id, { ...wanted, reason: resolution.reason, by });
    },
    approve: async (id, by, seen) => {
      await decide(fallback, id, {
        approves: true,
        reason: 'second person',
        by,
        ...(seen !== undefined && { seen }),
      });
      await catchUp();
    },
    withdraw: (id, by, reason) => decide(fallback, id, { approves: false, reason, by }),
    reingest: async (id, source, by) => {
      const shown = await showException(fallback, id);
      if (shown.state !== 'approved') {
        throw ruledOut(
          `Exception ${id} is ${shown.state}; to import it again, propose a resolution and have a second person approve it`,
        );
      }
      const actor = { kind: 'user', id: by } as const;
      const given = source ?? asItCame(shown);
      const report = await ingestAwards(ingestion, given, actor, { corrects: id });
      await catchUp();
      return report;
    },
  };
}

/** An award that is amended or cancelled has its exception at once, with the proposal of whoever asks. */
export function openAmendments({
  ingestion,
  fallback,
}: StageStores): Pick<Pipeline, 'amend' | 'cancelAward'> {
  return {
    amend: async (award, { source, reason }, by) => {
      const { exception, document } = await askForAmendment(ingestion, award, source);
      await takeOver(fallback);
      const proposal = { resolution: 'reingest', document, amends: award, reason, by } as const;
      await propose(fallback, exception, proposal);
      return exception;
    },
    cancelAward: async (award, { reason }, by) => {
      const exception = await askForCancellation(ingestion, award);
      await takeOver(fallback);
      const document = undefined;
      const proposal = { resolution: 'cancel', document, amends: award, reason, by } as const;
      await propose(fallback, exception, proposal);
      return exception;
    },
  };
}

/** Nothing that could never be carried out. */
async function optionsOf(
  ingestion: IngestionDeps,
  shown: Shown,
): Promise<readonly ExceptionOption[]> {
  const { state, from, amends, escalationCode } = shown;
  if (state !== 'open') return [];
  // What reconciliation left is a question to a grantor, and no award.
  if (from !== 'ingestion' || escalationCode === 'AWARD_CANCELLATION') return ['dismiss'];
  if (amends === undefined) return ['reingest', 'dismiss'];
  const stands = await isStanding(ingestion, amends);
  if (escalationCode === 'AWARD_AMENDMENT' && !stands) return ['dismiss'];
  return stands && WITH_AN_AWARD.has(escalationCode)
    ? ['as-it-came', 'reingest', 'dismiss']
    : ['reingest', 'dismiss'];
}

interface Checked {
  readonly resolution: 'reingest' | 'dismiss';
  readonly document: string | undefined;
  readonly amends: AwardId | undefined;
}

/** What would be refused again is refused now, before anybody agrees to it. */
async function checked(
  ingestion: IngestionDeps,
  shown: Shown,
  resolution: Resolution,
): Promise<Checked> {
  if (resolution.kind === 'dismiss') {
    return { resolution: 'dismiss', document: undefined, amends: undefined };
  }
  const options = await optionsOf(ingestion, shown);
  // A state that takes no proposal is refused by the database, in its own words.
  if (options.length > 0 && !options.includes(resolution.kind)) {
    throw ruledOut(
      `Exception ${shown.id} can be resolved by ${options.join(' or ')} only; ${resolution.kind} is not possible`,
    );
  }
  const source = resolution.kind === 'reingest' ? resolution.source : asItCame(shown);
  const correction = await checkCorrection(ingestion, source, shown.amends);
  return { resolution: 'reingest', ...correction };
}

/** The payload of an exception as a document of its own: other bytes than the one that it came in. */
function asItCame({ id, envelope }: Shown): AwardSource {
  const payload = canonicalBytes(envelope.original_payload, { numbers: 'any' });
  const text = `\n[${Buffer.from(payload).toString('utf8')}]\n\n`;
  return {
    name: `exception-${id}.json`,
    format: 'json',
    async *open() {
      yield Buffer.from(text);
    },
  };
}
