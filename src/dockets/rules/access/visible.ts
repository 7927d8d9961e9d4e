/**
 * What a person sees of many dockets. Lists, counts, errors and notices all go through here, so that a hidden matter
 * answers exactly like one that does not exist.
 */
import {
  type DocketId,
  type FilewrightError,
  notFound,
  type PersonId,
} from '../../../core/index.ts';
import type { Party, People } from './people.ts';
import { accessOf, type Guarded } from './rights.ts';

export interface Viewer {
  readonly party: Party;
  readonly people: People;
  /** Whose key it is, where a key was shown. */
  readonly person?: PersonId;
}

export function maySee(matter: Guarded, viewer: Viewer): boolean {
  return accessOf(matter, viewer.party, viewer.people).may;
}

export function visible<Matter extends Guarded>(
  matters: Iterable<Matter>,
  viewer: Viewer,
): Matter[] {
  return [...matters].filter((matter) => maySee(matter, viewer));
}

/** Counted after the filter: a total that is larger than the list tells that something is hidden. */
export function countVisible(matters: Iterable<Guarded>, viewer: Viewer): number {
  return visible(matters, viewer).length;
}

/** The matter, if it exists and the viewer may see it; otherwise the one error for both. */
export function seen<Matter extends Guarded>(
  id: DocketId,
  matter: Matter | undefined,
  viewer: Viewer,
): Matter {
  if (matter === undefined || !maySee(matter, viewer)) throw unknownDocket(id);
  return matter;
}

/** Says nothing but what the asker already knows: the id that was asked for. */
export function unknownDocket(id: DocketId): FilewrightError {
  return notFound(`No docket "${id}"`);
}

/** A notice goes out only to who may see its matter; the others get nothing, not even an empty one. */
export function noticesFor<Notice extends { readonly matter: Guarded }>(
  notices: Iterable<Notice>,
  viewer: Viewer,
): Notice[] {
  return [...notices].filter((notice) => maySee(notice.matter, viewer));
}
