export type { SpillwayRouteConfig } from './augment.js';
export { type FastifySpillwayOptions, fastifySpillway } from './plugin.js';
export { problemDetails } from './problem-details.js';
export type { Register, Registered } from './register.js';
export { RequestSpillway } from './request-spillway.js';
export { type FallbackHandler, type RouteFallbackOptions, withFallback } from './with-fallback.js';
