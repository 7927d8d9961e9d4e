/** A lane's state as its row holds it. */
import { CLOSED, laneCode, type LaneState } from '../../core/index.ts';

export function freshLane(code: string, ceiling: number): LaneState {
  return {
    code: laneCode(code),
    version: 1,
    ceiling,
    pause: { kind: 'none' },
    breaker: CLOSED,
    throttles: 0,
    missing: 0,
    resumedAt: undefined,
  };
}

export function laneStateJson(lane: LaneState): string {
  const { code: _code, version: _version, ceiling: _ceiling, ...state } = lane;
  return JSON.stringify(state);
}
