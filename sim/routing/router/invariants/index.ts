import type { Violation } from '../../evidence.ts';
import type { Targets } from '../targets.ts';
import type { RouterWorld } from '../world.ts';
import { alerted } from './alerted.ts';
import { currentRules } from './current-rules.ts';
import { goesOn } from './goes-on.ts';
import { intentFirst } from './intent-first.ts';
import { lateWrite } from './late-write.ts';
import { oneProbe } from './one-probe.ts';
import { oneWriter } from './one-writer.ts';
import { warned } from './warned.ts';
import { wayBack } from './way-back.ts';

export function violationsOf(world: RouterWorld, targets: Targets): Violation[] {
  return [
    ...world.book.errors.map((text) => ({ invariant: 'no_error', text })),
    ...goesOn(world, targets),
    ...oneWriter(world),
    ...intentFirst(world),
    ...lateWrite(world),
    ...oneProbe(world),
    ...wayBack(world, targets),
    ...alerted(world),
    ...warned(world),
    ...currentRules(world),
  ];
}
