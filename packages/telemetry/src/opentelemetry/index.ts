export { type OpenTelemetryOptions, openTelemetry, type Traceable } from './open-telemetry.js';
