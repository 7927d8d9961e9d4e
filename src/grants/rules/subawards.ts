/** Limits on money that is passed on: those of the award's terms, and the share that indirect costs may be charged on. */
import { badCase } from '../../core/index.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

export interface Subaward {
  readonly id: string;
  readonly recipient: string;
  readonly cents: bigint;
  readonly hasPriorApproval: boolean;
}

/** What an award may say; what it does not say is not limited. */
export interface SubawardTerms {
  readonly totalCentsMax?: bigint;
  readonly perRecipientCentsMax?: bigint;
  /** A larger subaward needs the grantor's approval first. */
  readonly approvalAboveCents?: bigint;
  /** Instead of the share of the guidance. */
  readonly indirectBaseCentsMax?: bigint;
}

interface SubawardQuestion {
  readonly awardId: string;
  readonly guidanceVersion: string;
  readonly terms: SubawardTerms;
  readonly subawards: readonly Subaward[];
}

/** `{isAllowed, violations, totalCents, indirectBaseCents}`; all violations at once. */
export type SubawardAnswer = {
  readonly isAllowed: boolean;
  /** All of them at once, in words. */
  readonly violations: readonly string[];
  readonly totalCents: string;
  /** What of them indirect costs may be charged on. */
  readonly indirectBaseCents: string;
};

export function checkSubawards(
  question: SubawardQuestion,
  law: GrantsLaw,
): Evaluation<SubawardAnswer> {
  const { awardId, terms, subawards } = question;
  const reasoning = new Reasoning(law.subawards.version);
  const citation = `terms of award ${awardId}`;
  const byRecipient = new Map<string, bigint>();
  let total = 0n;
  for (const { recipient, cents } of subawards) {
    total += cents;
    byRecipient.set(recipient, (byRecipient.get(recipient) ?? 0n) + cents);
  }
  const violations: string[] = [];
  const { totalCentsMax, perRecipientCentsMax, approvalAboveCents } = terms;
  if (totalCentsMax !== undefined && total > totalCentsMax) {
    violations.push(`subawards of ${total} cents are above the limit of ${totalCentsMax}`);
  }
  for (const [recipient, cents] of byRecipient) {
    if (perRecipientCentsMax === undefined || cents <= perRecipientCentsMax) continue;
    violations.push(`${recipient} gets ${cents} cents, above the limit of ${perRecipientCentsMax}`);
  }
  for (const { id, cents, hasPriorApproval } of subawards) {
    if (approvalAboveCents === undefined || cents <= approvalAboveCents || hasPriorApproval)
      continue;
    violations.push(`subaward ${id} of ${cents} cents needs prior approval`);
  }
  for (const violation of violations)
    reasoning.say(violation, citation).task(`Resolve: ${violation}`);
  const base = indirectBase(question, byRecipient, law, reasoning);
  return reasoning.end({
    isAllowed: violations.length === 0,
    violations,
    totalCents: String(total),
    indirectBaseCents: String(base),
  });
}

// 2 CFR 200.1, modified total direct cost: of each subaward only the first part counts, whatever its period.
function indirectBase(
  { awardId, guidanceVersion, terms }: SubawardQuestion,
  byRecipient: ReadonlyMap<string, bigint>,
  law: GrantsLaw,
  reasoning: Reasoning,
): bigint {
  const share = law.subawards.indirectBase.find(({ guidance }) =>
    guidance.includes(guidanceVersion),
  );
  if (share === undefined) {
    throw badCase(
      `award ${awardId}, guidanceVersion: there is no subaward limit for ${guidanceVersion}`,
    );
  }
  const { indirectBaseCentsMax } = terms;
  const limit = indirectBaseCentsMax ?? BigInt(share.amount) * 100n;
  if (indirectBaseCentsMax === undefined) {
    reasoning
      .rely(share, 'the share of a subaward in the indirect base')
      .say(`Of each recipient's subaward the first ${limit} cents are in the base.`, share.source);
  } else {
    reasoning.say(`The award sets ${limit} cents per subaward.`, `terms of award ${awardId}`);
  }
  let base = 0n;
  for (const cents of byRecipient.values()) base += cents < limit ? cents : limit;
  return base;
}
