export { type ExpressSpillwayOptions, expressSpillway } from './middleware.js';
export { problemDetails } from './problem-details.js';
export type { Register, Registered } from './register.js';
export { RequestSpillway } from './request-spillway.js';
export { type FallbackRouteOptions, spillwayRoute } from './route.js';
export { type FallbackHandler, type RouteFallbackOptions, withFallback } from './with-fallback.js';
