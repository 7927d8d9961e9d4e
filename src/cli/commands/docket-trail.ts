/** Why a docket has its dates, as a file note: rule, steps, what the source states, and what is in question. */
import type { DateTrail } from '../../dockets/index.ts';
import { iso, table } from '../output.ts';
import { moment } from '../shown.ts';

type LawTrail = NonNullable<DateTrail['law']>;

export function trailJson({ versions, second, ...trail }: DateTrail): object {
  return {
    ...trail,
    law: trail.law ?? null,
    why: trail.why ?? null,
    versions: versions.map((one) => ({ ...one, receivedAt: iso(one.receivedAt) })),
    second: second === undefined ? null : secondJson(second),
  };
}

function secondJson({ at, decision, law, ...second }: NonNullable<DateTrail['second']>): object {
  return {
    ...second,
    at: iso(at),
    law: law ?? null,
    decision: decision === undefined ? null : { ...decision, at: iso(decision.at) },
  };
}

export function trailText(trail: DateTrail): string[] {
  const { law, why, stated, versions, second } = trail;
  const says = [stated.due && `due ${stated.due}`, stated.final && `final ${stated.final}`];
  const given = says.filter(Boolean).join(', ') || 'no date';
  return [
    'Why this date',
    ...(law === undefined ? [`  The law gives no date: ${why ?? 'not known'}`] : lawText(law)),
    `  The source states ${given}.`,
    ...versions.flatMap(versionText),
    ...(second === undefined ? [] : secondText(second)),
  ];
}

function lawText(law: LawTrail): string[] {
  const final = law.final === undefined ? '' : `, final ${law.final}`;
  return [
    `  The law gives due ${law.due ?? 'no date'}${final}: ${law.rule}, ${law.title} (${law.citation}; confidence ${law.confidence}).`,
    ...law.steps.map(
      ({ text, citation }, n) =>
        `  ${n + 1}. ${text}${citation === undefined ? '' : ` [${citation}]`}`,
    ),
  ];
}

function versionText(one: DateTrail['versions'][number]): string[] {
  const days = one.due === undefined ? 'no date' : `due ${one.due}`;
  return [
    '',
    `Version ${one.n} (${one.state}), from ${one.source}, received ${moment(one.receivedAt)}, gives ${days}`,
    table(
      ['field', 'version 1', `version ${one.n}`],
      one.differences.map(({ field, first, other }) => [field, first, other]),
    ),
  ];
}

function secondText(second: NonNullable<DateTrail['second']>): string[] {
  const { standing, by, at, event, law, decision } = second;
  const says = {
    verified: 'Verified by two: both docketings give the same dates.',
    blocked:
      'BLOCKED: the two docketings differ. The earlier date counts until a third person decides.',
    decided: `Decided for the ${standing.kind === 'decided' ? standing.for : ''} docketing${decision === undefined ? '' : ` by ${decision.by}: ${decision.reason}`}.`,
  } as const;
  const read = [
    event.eventCode,
    event.eventDate,
    ...(event.period === undefined ? [] : [event.period]),
  ];
  return [
    '',
    says[standing.kind],
    `Second docketing by ${by} at ${moment(at)}, read as ${read.filter(Boolean).join(' ')}`,
    ...(law === undefined ? ['  The law gives no date for it.'] : lawText(law)),
  ];
}
