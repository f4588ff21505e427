export type { LogLevel } from './levels.js';
export { type FieldLogger, type LoggedSpillway, type LogOptions, logEvents } from './log-events.js';
