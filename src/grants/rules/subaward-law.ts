/** law/rules/grants/subawards.json as values. */
import { type NamedText, readLawDocument } from '../../calendar/index.ts';
import { dollarsOf, type Fact, factOf, HEAD_KEYS, headOf, type LawHead, textsOf } from './facts.ts';

interface IndirectBaseShare extends Fact {
  readonly guidance: readonly string[];
  readonly amount: number;
}

export interface SubawardLaw extends LawHead {
  /** Of each subaward only this much is in the base of the indirect rate. */
  readonly indirectBase: readonly IndirectBaseShare[];
}

export function readSubawardLaw({ file, text }: NamedText): SubawardLaw {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [...HEAD_KEYS, 'indirectBase'],
    ['notes'],
  );
  const seen = new Set<string>();
  const indirectBase = root
    .field('indirectBase')
    .items()
    .map((item): IndirectBaseShare => {
      item.object(['guidance', 'amount', 'source', 'confidence']);
      const guidance = textsOf(item.field('guidance'));
      for (const version of guidance) {
        if (seen.has(version)) item.field('guidance').refuse(`${version} already has an amount`);
        seen.add(version);
      }
      return { ...factOf(item), guidance, amount: dollarsOf(item.field('amount')) };
    });
  return { ...headOf(root), indirectBase };
}
