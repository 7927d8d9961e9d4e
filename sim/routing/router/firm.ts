/** A firm drawn from a seed: targets of each kind, people behind them, a matrix; and times short enough for a simulation. */
import type { JsonValue } from '../../../src/core/canonical-json.ts';
import type { RoutingPolicy } from '../../../src/dockets/rules/routing/policy.ts';
import { Draw } from '../../world/draw.ts';

type Json = Readonly<Record<string, JsonValue>>;

export const QUEUE_TARGET = 'queue-b';
export const TABLE_URL = 'https://table.example/assignments';

/** All of them; which ones a matrix uses is drawn. */
const TARGETS: Readonly<Record<string, Json>> = {
  'http-a': { kind: 'http', address: 'https://a.example/', party: 'team-a' },
  [QUEUE_TARGET]: { kind: 'rabbitmq', address: 'b', party: 'team-b' },
  'http-c': { kind: 'http', address: 'https://c.example/', party: 'p1', confirmed_by: 'person' },
  'http-d': { kind: 'http', address: 'https://d.example/', party: 'p3' },
  'http-desk': { kind: 'http', address: 'https://desk.example/', party: 'p4' },
  'mail-p1': { kind: 'mail', address: 'p1@x.example', party: 'p1' },
  'mail-p2': { kind: 'mail', address: 'p2@x.example', party: 'p2' },
  'mail-p4': { kind: 'mail', address: 'p4@x.example', party: 'p4' },
  'mail-p0': { kind: 'mail', address: 'p0@x.example', party: 'p0' },
};

export const TARGET_IDS = Object.keys(TARGETS);
/** By person: the target under which the people file finds him. */
const PERSONS = {
  p0: 'mail-p0',
  p1: 'mail-p1',
  p2: 'mail-p2',
  p3: 'http-d',
  p4: 'mail-p4',
} as const;
export const TEAM_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'team-a': ['p1', 'p2'],
  'team-b': ['p2'],
};

export interface FirmTexts {
  readonly matrix: { readonly file: string; readonly text: string };
  readonly people: { readonly file: string; readonly text: string };
}

export class Firm {
  readonly #draw: Draw;
  readonly #hasTable: boolean;
  readonly #reserveMs: number;
  #version = 0;

  constructor(seed: number) {
    this.#draw = new Draw(seed, 'firm');
    this.#hasTable = this.#draw.chance(0.4);
    this.#reserveMs = this.#draw.pick([40_000, 90_000, 150_000]);
  }

  get reserveMs(): number {
    return this.#reserveMs;
  }

  /** Another one at each call. Nobody is walled off: rights are for the simulation of decisions. */
  texts(): FirmTexts {
    const draw = this.#draw;
    this.#version += 1;
    const node = (tier: string, target: string, next: readonly string[]): Json => ({
      tier,
      target,
      next: [...next],
    });
    const isBroad = draw.chance(0.6);
    const primary = draw.shuffled(['http-a', QUEUE_TARGET]);
    const nodes: Json = {
      one: node('PRIMARY', primary[0] ?? '', isBroad ? ['other', 'two'] : ['two']),
      ...(isBroad ? { other: node('PRIMARY', primary[1] ?? '', ['two']) } : {}),
      two: node('SECONDARY', draw.pick(['mail-p1', 'http-c']), ['three']),
      three: node('TERTIARY', draw.pick(['mail-p2', 'http-d', 'http-d']), ['desk']),
      desk: { tier: 'MANUAL', target: draw.pick(['mail-p4', 'http-desk']) },
    };
    const matrix = {
      kind: 'routing-matrix',
      format: 1,
      title: `drawn ${this.#version}`,
      targets: TARGETS,
      nodes,
      routes: [{ client: '*', technology_group: '*', event: '*', start: 'one' }],
      privileged: ['p0'],
      ...(this.#hasTable
        ? { assignment: [{ client: '*', technology_group: '*', url: TABLE_URL }] }
        : {}),
    };
    return {
      matrix: { file: 'matrix', text: JSON.stringify(matrix) },
      people: { file: 'people', text: JSON.stringify(this.#people()) },
    };
  }

  #people(): Json {
    const allow = ['client:*', 'class:*', 'privilege:*'];
    const persons = Object.entries(PERSONS).map(([id, target]) => [
      id,
      { name: `${id} of ${this.#version}`, target, allow },
    ]);
    const teams = Object.entries(TEAM_MEMBERS).map(([id, members]) => [
      id,
      { name: id, members: [...members] },
    ]);
    return {
      kind: 'people',
      format: 1,
      zone: 'America/New_York',
      persons: Object.fromEntries(persons) as Json,
      teams: Object.fromEntries(teams) as Json,
    };
  }

  /** The same rules in minutes instead of days. */
  readonly policy = (stated: RoutingPolicy): RoutingPolicy => ({
    ...stated,
    timeoutMs: 1_500,
    backoffMsMin: 300,
    backoffMsMax: 1_000,
    outcomeMsMax: 4_500,
    breaker: { failures: 2, coolDownMs: 6_000, probeSpacingMs: 3_000 },
    thresholds: { ...stated.thresholds, tlsHandshakeMsMax: 1_500, lagMsMax: 20_000 },
    confirmMs: { PRIMARY: 40_000, SECONDARY: 30_000, TERTIARY: 20_000 },
    confirmMsMin: 8_000,
    workingDay: { fromMinute: 0, toMinute: 24 * 60 },
    manualClockMs: 45_000,
    reserveMs: this.#reserveMs,
  });
}
