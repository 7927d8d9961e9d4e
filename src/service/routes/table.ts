/** Every route, by noun. A new act gets its line in the file of its noun, or its reason in unrouted.ts. */
import type { Route } from '../route.ts';
import { batchChanges } from './batch-changes.ts';
import { batches } from './batches.ts';
import { compute } from './compute.ts';
import { dockets } from './dockets.ts';
import { entities } from './entities.ts';
import { exceptions } from './exceptions.ts';
import { filings } from './filings.ts';
import { grants } from './grants.ts';
import { hand } from './hand.ts';
import { house } from './house.ts';
import { lanes } from './lanes.ts';
import { people } from './people.ts';

export const ROUTES: readonly Route[] = [
  ...filings,
  ...batches,
  ...batchChanges,
  ...exceptions,
  ...hand,
  ...lanes,
  ...entities,
  ...dockets,
  ...grants,
  ...people,
  ...house,
  ...compute,
];
