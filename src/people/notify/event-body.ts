/** An event as receivers see it: the attributes of CloudEvents 1.0 in JSON, with ids, status and links as its data. */
import { type Instant, type JsonValue, toRfc3339 } from '../../core/index.ts';

interface TellableEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly filing: string | undefined;
  readonly data: Readonly<Record<string, JsonValue>>;
}

interface EventSource {
  readonly instance: string;
  readonly tenant: string;
  /** Where the console or the API is reached; links are left out without it. */
  readonly publicUrl?: string;
}

/** The same text for the same event at every attempt. */
export function eventBody(event: TellableEvent, source: EventSource): string {
  const { filing } = event;
  const base = source.publicUrl?.replace(/\/+$/, '');
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
