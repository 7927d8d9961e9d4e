import type { Clock } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { grantsLawFrom } from '../../packs/grants/index.ts';
import { openPipeline, type Pipeline } from '../../pipeline/index.ts';
import { shippedLaw } from '../../system/law/index.ts';

/** The pipeline of this installation, with the law as shipped. Another clock is for those who play a year in a minute. */
export function openGrants(app: Filewright, clock: Clock = app.clock): Pipeline {
  const { session, tenant, instance, tenantKey, ids, random } = app;
  const law = grantsLawFrom(shippedLaw());
  return openPipeline({ session, tenant, instance, tenantKey, ids, random, clock, law });
}
