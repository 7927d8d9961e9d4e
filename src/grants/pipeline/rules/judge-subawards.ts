/** Money that was passed on, held against the limits of each award. */
import type { AcceptedAward } from '../../rules/intake/ingest.ts';
import { checkSubawards, type SubawardTerms } from '../../rules/subawards.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import { subawardTermsOf } from '../../rules/obligations/award-terms.ts';
import type { JudgedSubawards, SubawardOfAward } from '../contracts.ts';

interface Limits {
  readonly terms: SubawardTerms;
  readonly guidanceVersion: string | undefined;
}

/** Collects the terms of the awards that passed money on; each payment of an award may say them. */
export class SubawardLimits {
  readonly #asked = new Map<string, SubawardOfAward[]>();
  readonly #limits = new Map<string, Limits>();

  constructor(asked: readonly SubawardOfAward[]) {
    for (const subaward of asked) {
      const known = this.#asked.get(subaward.awardId);
      if (known === undefined) this.#asked.set(subaward.awardId, [subaward]);
      else known.push(subaward);
    }
  }

  look(award: AcceptedAward): void {
    const { award_id: id, guidance_version: guidance } = award.payload;
    if (typeof id !== 'string' || !this.#asked.has(id)) return;
    const known = this.#limits.get(id);
    const guidanceVersion = typeof guidance === 'string' ? guidance : known?.guidanceVersion;
    this.#limits.set(id, {
      terms: strictest(known?.terms, subawardTermsOf(award)),
      guidanceVersion,
    });
  }

  /** By award in the order of their numbers; what cannot be judged is a task. */
  judge(law: GrantsLaw): {
    readonly judged: readonly JudgedSubawards[];
    readonly tasks: readonly string[];
  } {
    const judged: JudgedSubawards[] = [];
    const tasks: string[] = [];
    for (const award of [...this.#asked.keys()].sort()) {
      const limits = this.#limits.get(award);
      if (limits?.guidanceVersion === undefined) {
        tasks.push(
          limits === undefined
            ? `Import award ${award}: none with this number is on file, so its subawards are not checked`
            : `Look up guidance_version of award ${award}: its subawards are not checked`,
        );
        continue;
      }
      const { terms, guidanceVersion } = limits;
      const subawards = this.#asked.get(award) ?? [];
      const evaluation = checkSubawards({ awardId: award, guidanceVersion, terms, subawards }, law);
      judged.push({ award, ...evaluation.result, evaluation });
      tasks.push(...evaluation.tasks);
    }
    return { judged, tasks };
  }
}

/** Where two payments of one award state a limit differently, the lower one is the safe one. */
function strictest(one: SubawardTerms = {}, other: SubawardTerms): SubawardTerms {
  const names = ['totalCentsMax', 'perRecipientCentsMax', 'approvalAboveCents'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = [one[name], other[name]].filter((cents) => cents !== undefined);
      const [first, second] = found;
      if (first === undefined) return [];
      return [[name, second !== undefined && second < first ? second : first]];
    }),
  );
}
