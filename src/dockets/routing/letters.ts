/** What people read in letters about dockets: one docket in a letter, or many. Pure. */
import { formatDay } from '../../calendar/index.ts';
import { isConfidential } from '../rules/access/rights.ts';
import type { DocketDates } from '../rules/docket/dates.ts';
import type { PendingHandover } from './pending-handover.ts';

interface Letter {
  readonly subject: string;
  readonly text: string;
}

export function letterAbout(pending: PendingHandover, link: string | undefined): Letter {
  const { message } = pending;
  const docket = pending.row.docket;
  const { dates } = message;
  const lines = [
    `${readerOf(pending)}: a docket event is waiting for you (${message.tier}).`,
    ...standInLines(pending),
    '',
    `Docket ${docket.id}`,
    ...matterOf(pending),
    ...datesLines(dates),
    ...(link === undefined ? [] : ['', `Acknowledge: ${link}`]),
    `Acknowledge on the command line: filewright docket ack ${docket.id}`,
  ];
  return { subject: `[${message.tier}] Docket event, ${dueOf(dates)}`, text: lines.join('\n') };
}

/** The same for many, the most urgent first. All of them are for one reader, who may see each. */
export function letterAboutMany(
  group: readonly { readonly pending: PendingHandover; readonly link: string | undefined }[],
): Letter {
  const inOrder = group.toSorted((a, b) => urgencyOf(a.pending) - urgencyOf(b.pending));
  const [first] = inOrder;
  if (first === undefined) throw new Error('a letter is about something');
  const { pending } = first;
  const { tier } = pending.message;
  const lines = [
    `${readerOf(pending)}: ${group.length} docket events are waiting for you (${tier}).`,
    'They are listed below, the most urgent first. Acknowledge each one that you take.',
    ...standInLines(pending),
    ...inOrder.flatMap(({ pending: one, link }) => [
      '',
      [dueOf(one.message.dates), `docket ${one.row.id}`, ...matterOf(one)].join(', '),
      `  ${link ?? `filewright docket ack ${one.row.id}`}`,
    ]),
  ];
  const subject = `[${tier}] ${group.length} docket events, the first ${dueOf(pending.message.dates)}`;
  return { subject, text: lines.join('\n') };
}

function readerOf({ message, routing }: PendingHandover): string {
  return routing.people.parties.get(message.party)?.name ?? message.party;
}

function standInLines({ message: { standsInFor } }: PendingHandover): string[] {
  return standsInFor.length === 0 ? [] : [`You are covering for ${standsInFor.join(', ')}.`];
}

/** Mail lies on servers that no right was ever asked for: what is confidential is looked up, not mailed. */
function matterOf({ row, routing }: PendingHandover): string[] {
  const docket = row.docket;
  if (isConfidential(docket, routing.people)) return [];
  return [`${docket.eventCode} in ${docket.applicationNumber ?? 'an unreadable record'}`];
}

function dueOf(dates: DocketDates): string {
  return dates.kind === 'dated' ? `due ${formatDay(dates.due)}` : 'no date known';
}

/** A docket without a date may be due at any moment. */
function urgencyOf({ message: { dates } }: PendingHandover): number {
  return dates.kind === 'dated' ? dates.dueMoment : 0;
}

function datesLines(dates: DocketDates): string[] {
  if (dates.kind === 'undated')
    return [`No date is known: ${dates.code}. It may be due at any time.`];
  return [
    `Due ${formatDay(dates.due)}${dates.unverified.length > 0 ? ' (unverified)' : ''}`,
    ...(dates.final === undefined ? [] : [`Final ${formatDay(dates.final)}`]),
  ];
}
