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
  const subject = [...namedIn(pending), dueOf(dates)].join(', ');
  return { subject: `[${message.tier}] ${subject}`, text: lines.join('\n') };
}

/** In the subject: what people know a matter by. Where it is confidential, that there is one. */
function namedIn({ row, routing }: PendingHandover): string[] {
  const { docket } = row;
  if (isConfidential(docket, routing.people)) return ['Docket event'];
  const matter = docket.event?.matter ?? docket.matter;
  const names = [matter, docket.applicationNumber, docket.client].filter(
    (one) => one !== undefined,
  );
  return [docket.eventCode, ...names].map(shortened);
}

/** Of a name, which may be of any length: a subject that a mailbox cuts off ends without its date. */
const NAME_CHARACTERS_MAX = 40;

function shortened(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= NAME_CHARACTERS_MAX) return text;
  return `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join('')}…`;
}

/** Whose matters a letter is about, as far as it may say so. */
const CLIENTS_NAMED_MAX = 3;

function clientsOf(group: readonly PendingHandover[]): string {
  const names = group.flatMap(({ row, routing }) =>
    isConfidential(row.docket, routing.people) ? [] : (row.docket.client ?? []),
  );
  const clients = [...new Set(names)];
  if (clients.length === 0) return '';
  const named = clients.slice(0, CLIENTS_NAMED_MAX).map(shortened);
  const more = clients.length - named.length;
  return ` for ${named.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
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
  const clients = clientsOf(inOrder.map((one) => one.pending));
  const subject = `[${tier}] ${group.length} docket events${clients}, the first ${dueOf(pending.message.dates)}`;
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
  const matter = docket.event?.matter ?? docket.matter;
  const names = [matter, docket.client].filter((one) => one !== undefined);
  return [
    `${docket.eventCode} in ${docket.applicationNumber ?? 'an unreadable record'}`,
    ...(names.length === 0 ? [] : [names.join(', ')]),
  ];
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
