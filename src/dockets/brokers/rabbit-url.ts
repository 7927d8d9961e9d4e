import { FilewrightError } from '../../core/index.ts';

export function readRabbitUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRabbit = url?.protocol === 'amqp:' || url?.protocol === 'amqps:';
  if (url !== undefined && isRabbit && url.hostname !== '') return url;
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    'Expected the reference to hold a RabbitMQ address like amqp://user:password@host:5672/vhost',
  );
}
