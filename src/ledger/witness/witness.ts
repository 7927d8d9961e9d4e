/** A witness: cosigns the heads of logs it knows, and never two of which the smaller is not the beginning of the larger. */
import type { Clock } from '../../core/index.ts';
import { checkPinned, type TreeHead } from '../checkpoint.ts';
import { witnessSigner } from '../note-signer.ts';
import type { TrustedLog } from '../trust-policy.ts';
import type { VerifierKey } from '../verifier-key.ts';
import { judge, readQuestion, type WitnessQuestion, type WitnessRefusal } from './judge.ts';

/** What a witness must not forget. */
interface WitnessMemory {
  /** The last head of a log that was cosigned, and the mark under which it was kept. */
  last(origin: string): Promise<{ readonly mark: number; readonly note: string } | undefined>;
  /** Durable when it resolves. False: somebody else has put another one after that mark. */
  replace(origin: string, mark: number, note: string): Promise<boolean>;
  /** Evidence that a log has signed two histories. */
  keepEvidence(origin: string, request: string): Promise<void>;
}

interface WitnessDeps {
  readonly logs: readonly TrustedLog[];
  readonly name: string;
  /** Ed25519, 32 bytes. */
  readonly seed: Uint8Array;
  readonly memory: WitnessMemory;
  readonly clock: Pick<Clock, 'now'>;
}

type WitnessAnswer =
  | { readonly status: 200; readonly lines: string }
  | (WitnessRefusal & { readonly origin?: string });

interface Witness {
  readonly verifierKey: VerifierKey;
  add(body: string): Promise<WitnessAnswer>;
}

/** Two processes over one memory may outrun each other; more often than this they do not. */
const TRIES_MAX = 5;

export function createWitness(deps: WitnessDeps): Witness {
  const { logs, memory, clock, name, seed } = deps;
  /** The end of the last request about a log: the next one of that log waits for it. */
  const turns = new Map<string, Promise<unknown>>();
  const signerNow = () =>
    witnessSigner({ name, key: seed, seconds: Math.floor(clock.now() / 1000) });

  const answer = async (question: WitnessQuestion, body: string): Promise<WitnessAnswer> => {
    const { origin } = question.checkpoint;
    for (let left = TRIES_MAX; ; left -= 1) {
      const last = await memory.last(origin);
      const refusal = judge(question, last && headOf(last.note, origin));
      if (refusal?.isContradiction === true) await memory.keepEvidence(origin, body);
      if (refusal !== undefined) return { ...refusal, origin };
      // A crash from here on leaves a head that is kept and whose signature nobody has: asked again, it is signed again.
      const isKept = await memory.replace(origin, last?.mark ?? 0, question.note);
      if (isKept) return { status: 200, lines: signerNow().line(textOf(question)) };
      if (left === 0) throw new Error(`the head of ${origin} is changed all the time`);
    }
  };

  return {
    verifierKey: signerNow().verifierKey,
    add: (body) => {
      const question = readQuestion(body, logs);
      if ('status' in question) return Promise.resolve(question);
      const { origin } = question.checkpoint;
      const turn = (turns.get(origin) ?? Promise.resolve()).then(() => answer(question, body));
      // The next one waits for the end of this one, not for its success.
      turns.set(
        origin,
        turn.catch(() => undefined),
      );
      return turn;
    },
  };
}

/** The text that a note signs ends before its last blank line. */
function textOf({ note }: WitnessQuestion): string {
  return note.slice(0, note.lastIndexOf('\n\n') + 1);
}

/** What was kept was checked before; its key may have been retired since. */
function headOf(note: string, origin: string): TreeHead {
  const read = checkPinned(note, { origin, verifierKeys: [] });
  if (read.ok) return read.checkpoint;
  throw new Error(`the kept head of ${origin} is damaged: ${read.message}`);
}
