export { LagWatch } from './lag-watch.ts';
export type { BrokerMessage, BrokerTrouble, MessageDesk } from './message.ts';
export { readAuthorities } from './certificates.ts';
export { type RabbitAddress, readRabbitUrl } from './rabbit-connection.ts';
export { consumeRabbit, PREFETCH_MAX, type RabbitIntake } from './rabbit-intake.ts';
export {
  type PublisherOptions,
  type PublishOutcome,
  type QueueMessage,
  type RabbitPublisher,
  rabbitPublisher,
} from './rabbit-publisher.ts';
export { rabbitGauge, type RabbitGaugeOptions } from './rabbit-saturation.ts';
export type { RedisAddress } from './redis-connection.ts';
export { consumeRedis, type RedisIntake } from './redis-intake.ts';
export { redisGauge, type RedisGaugeOptions } from './redis-saturation.ts';
export {
  type LagBasis,
  ownQueueGauge,
  rabbitLag,
  type Saturation,
  type SaturationGauge,
} from './saturation.ts';
export type { QueueCount, QueueCounter } from './standstill.ts';
export { MESSAGE_BYTES_MAX } from './settle-message.ts';
