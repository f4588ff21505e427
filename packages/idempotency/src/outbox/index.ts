export {
  type BullMq,
  type BullMqOutbox,
  type BullMqOutboxOptions,
  bullmqOutbox,
  type LaneRedis,
} from './bullmq-outbox.js';
export { accepted, type Deferred, isDeferred } from './deferred.js';
export type { Deliver, DeliveryAnswer } from './delivery.js';
export {
  createOutbox,
  type DeferRequest,
  type Outbox,
  type OutboxOptions,
} from './outbox.js';
export type { OutboxSpillway } from './outbox-spillway.js';
export type {
  ClaimedWrite,
  ListQuery,
  NewWrite,
  OutboxRequest,
  OutboxStore,
  OutboxWrite,
  Settlement,
  WriteState,
} from './outbox-store.js';
export type { ScheduleConfig } from './schedule.js';
export { type SqliteOutboxOptions, sqliteOutbox, sqliteOutboxMigration } from './sqlite-outbox.js';
