/** The demo’s matrix and events, and its views in one line each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocketView } from '../../dockets/index.ts';
import { packageRoot } from '../../postgres/index.ts';
import { nextCommand, shellWord } from './next-command.ts';

/** Shorter than in real life, so that the day fits into a minute; the rest is as it always is. */
export const SCALED = { timeout_ms: 800, breaker_cool_down_ms: 3_000 };
export const PRIMARY = 'bio-endpoint';

export const isConfirmed = (view: DocketView): boolean => view.state.state === 'confirmed';

export function line({ docket, dates, owner }: DocketView): string {
  const due = dates.kind === 'dated' ? `dated by ${dates.rule ?? 'the source'}` : 'without a date';
  return `${docket.applicationNumber}, ${docket.event?.title ?? docket.eventCode}, ${due}, owner ${owner ?? 'none yet'}.`;
}

export function wayOf(facts: Readonly<Record<string, unknown>>): string {
  const side = (name: string): string => {
    // Written by the rules as {tier, target, breaker}.
    const { tier, target, breaker } = Object(facts[name]) as Record<string, unknown>;
    return `${wordOf(tier)} ${wordOf(target)} (${wordOf(Object(breaker).state)})`;
  };
  return `${side('from')} → ${side('to')}`;
}

/** Facts are JSON; only a text is a word. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The sample's, with the demo's endpoint, one lead, and the scaled times. */
export function demoMatrix(endpoint: string): object {
  const path = join(packageRoot(), 'samples', 'patent-matrix.json');
  // Shipped with the program, and checked as a whole when it is imported.
  const sample = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly targets: Record<string, object>;
    readonly nodes: Record<string, object>;
  };
  const { 'bio-second': _second, ...nodes } = sample.nodes;
  return {
    ...sample,
    title: 'The sample firm with a local endpoint',
    targets: {
      ...sample.targets,
      [PRIMARY]: { kind: 'http', address: endpoint, party: 'bio-team' },
    },
    nodes: {
      ...nodes,
      'bio-lead': { tier: 'SECONDARY', target: 'ruiz-mail', next: ['supervisor'] },
    },
    policy: SCALED,
  };
}

export function nextWords(demo: {
  readonly place: string;
  readonly tenant: string;
  readonly key: string;
}): string[] {
  const run = `${nextCommand(demo.place, demo.tenant)} --key-file ${shellWord(demo.key)}`;
  return [
    '',
    'Next commands',
    `  ${run} docket list`,
    `  ${run} docket show DOCKET           # every attempt to hand it over`,
    `  ${run} recovery status --all        # the recovery, with its evidence`,
    `  ${run} docket report --pdf report.pdf`,
  ];
}

export interface OfficeAction {
  readonly event_code: string;
  readonly title: string;
  readonly period?: string;
}

// The periods that such actions set; an issue fee has its own by law and cannot be extended.
export const NON_FINAL: OfficeAction = {
  event_code: 'CTNF',
  title: 'Non-final rejection',
  period: 'P3M',
};
export const FINAL: OfficeAction = { event_code: 'CTFR', title: 'Final rejection', period: 'P3M' };
export const RESTRICTION: OfficeAction = {
  event_code: 'CTRS',
  title: 'Restriction requirement',
  period: 'P2M',
};
export const ALLOWANCE: OfficeAction = { event_code: 'NOA', title: 'Notice of allowance' };
