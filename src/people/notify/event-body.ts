/** An event as receivers see it: the attributes of CloudEvents 1.0 in JSON, with ids, status and links as its data. */
import { toRfc3339, trimEndOf } from '../../core/index.ts';
import type { DomainEvent } from '../store/events.ts';

interface EventSource {
  readonly instance: string;
  readonly tenant: string;
  /** Where the console or the API is reached; links are left out without it. */
  readonly publicUrl?: string;
}

/** The same text for the same event at every attempt. */
export function eventBody(event: DomainEvent, source: EventSource): string {
  const { filing } = event;
  const base = source.publicUrl && trimEndOf(source.publicUrl, '/');
  const links =
    base === undefined || filing === undefined
      ? {}
      : { links: { filing: `${base}/filings/${filing}` } };
  return JSON.stringify({
    specversion: '1.0',
    id: event.id,
    source: `//${source.instance}/${source.tenant}`,
    type: event.type,
    time: toRfc3339(event.at),
    ...(filing === undefined ? {} : { subject: filing }),
    datacontenttype: 'application/json',
    data: { ...event.data, ...links },
  });
}
