/** Tells the registered agent of an entity that a filing of it was accepted. */
import { type Ids, type JsonValue, plain } from '../../core/index.ts';
import {
  addMailNotice,
  type DomainEvent,
  type EventConsumer,
  recipientsOf,
} from '../../people/index.ts';

export const COMPLETION_EVENT = 'COMPLIANCE_FILING_COMPLETE';

export function registeredAgentNotice(deps: {
  readonly tenant: string;
  readonly ids: Ids;
}): EventConsumer {
  const { tenant, ids } = deps;
  return {
    name: 'registered_agent_notice',
    types: [COMPLETION_EVENT],
    async consume(events, run) {
      for (const event of events) {
        const entity = field(event, 'entity_id');
        const recipients = await recipientsOf(run, tenant, 'registered_agent', entity);
        for (const recipient of recipients) {
          await addMailNotice(run, tenant, {
            id: ids.next(),
            origin: 'agent',
            recipient,
            subject: `Filing accepted: ${entity}, ${field(event, 'filing_kind')} ${field(event, 'period')}`,
            body: noticeText(event),
            dedup: `agent/${event.id}/${recipient}`,
          });
        }
      }
    },
  };
}

function noticeText(event: DomainEvent): string {
  const lines: readonly (readonly [string, string])[] = [
    ['Entity', field(event, 'entity_id')],
    ['Jurisdiction', field(event, 'jurisdiction')],
    ['Filing', field(event, 'filing_kind')],
    ['Period', field(event, 'period')],
    ['Status', field(event, 'status')],
    ['Receipt', field(event, 'receipt')],
    ['Reference', field(event, 'filing')],
  ];
  return [
    'The following filing was accepted by the authority.',
    '',
    ...lines
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`),
    '',
    'This message was sent automatically; no action is needed.',
    '',
  ].join('\n');
}

/** Ids and codes; a line break in one could pass for a line of ours. */
function field(event: DomainEvent, name: string): string {
  const value: JsonValue | undefined = event.data[name];
  return typeof value === 'string' ? plain(value) : '';
}
