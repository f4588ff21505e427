import type { Request } from 'express';
import { RequestSpillway } from './request-spillway.js';

/** Shows what was kept of the request as its `req.spillway`. */
export function showSpillway(req: Request, spillway: RequestSpillway): void {
  // asked anew each time: an application may be mounted, or mounted elsewhere, after it has served requests
  const home = applicationOf(Object.getPrototypeOf(req));
  if (home === undefined) req.spillway = spillway;
  else if (!Object.hasOwn(home, 'spillway')) Object.defineProperty(home, 'spillway', PROPERTY);
}

const PROPERTY: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  get(this: Request): RequestSpillway | undefined {
    return RequestSpillway.keptBy(RequestSpillway.keeperOf(this));
  },
  set(this: Request, value: unknown): void {
    Object.defineProperty(this, 'spillway', {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  },
};

/**
 * The prototype that the outermost application gives its requests: they have it in a mounted application too, and
 * when they leave that again. `undefined`: this request is none of Express's.
 */
function applicationOf(prototype: unknown): object | undefined {
  let home: object | undefined;
  for (let at = prototype as object | null; at !== null && Object.hasOwn(at, 'app'); ) {
    home = at;
    at = Object.getPrototypeOf(at) as object | null;
  }
  return home;
}
