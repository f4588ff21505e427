import { AsyncLocalStorage } from 'node:async_hooks';
import { createSpillway } from '@spillway/core';
import * as cockatiel from 'cockatiel';
import CircuitBreaker from 'opossum';

const work = async () => 1;
const fail = async () => {
  throw new Error('down');
};

let turn = 0;
/** Every other attempt fails. */
const flicker = async () => {
  turn++;
  if (turn % 2 === 0) throw Object.assign(new Error('down'), { code: 'ECONNRESET' });
  return 1;
};

/** Deadline, retry with budget, bulkhead, breaker with window, consecutive and slow rule, attempt timeout. */
const STANDARD = { deadline: '10s', attempt: { timeout: '3s' }, breaker: { slow: { over: '1s' } } };

function dependency(options = STANDARD, ports = {}) {
  return createSpillway({ service: 'bench', dependencies: { dep: options } }, ports).dependency('dep');
}

async function opened(options) {
  const dep = dependency(options);
  await dep.settle(fail);
  return dep;
}

const OPEN = {
  breaker: { consecutive: 1, openFor: '60s', maxOpenFor: '60s', jitter: 0 },
  retry: { attempts: 1 },
};

const FLICKERING = {
  retry: { backoff: { base: 1, cap: 1, jitter: 'none' }, budget: false },
  breaker: { failureRate: 0.9 },
};

function cockatielPolicy(breaker) {
  return cockatiel.wrap(
    cockatiel.bulkhead(1000),
    cockatiel.retry(cockatiel.handleAll, { maxAttempts: 2, backoff: new cockatiel.ConstantBackoff(1) }),
    cockatiel.circuitBreaker(cockatiel.handleAll, { halfOpenAfter: 5000, breaker }),
    cockatiel.timeout(1000, cockatiel.TimeoutStrategy.Aggressive),
  );
}

const sampling = (threshold) => new cockatiel.SamplingBreaker({ threshold, duration: 10_000, minimumRps: 2 });

async function openedCockatiel() {
  const policy = cockatiel.circuitBreaker(cockatiel.handleAll, {
    halfOpenAfter: 1e9,
    breaker: new cockatiel.ConsecutiveBreaker(1),
  });
  await policy.execute(fail).catch(() => undefined);
  return policy;
}

async function openedOpossum() {
  const breaker = new CircuitBreaker(fail, { timeout: false, resetTimeout: 1e9 });
  breaker.open();
  return breaker;
}

/** Each makes the function to measure. A rejection is caught where it is measured, as a caller would. */
export const VARIANTS = {
  'no guard': () => work,
  spillway: () => {
    const dep = dependency();
    return () => dep.call(work);
  },
  'spillway, layered': () => {
    const dep = dependency(STANDARD, { link: 'layered' });
    return () => dep.call(work);
  },
  'spillway, with a listener': () => {
    const dep = dependency(STANDARD, { observers: [() => {}] });
    return () => dep.call(work);
  },
  'spillway, in an AsyncLocalStorage': () => {
    const dep = dependency();
    new AsyncLocalStorage().enterWith({});
    return () => dep.call(work);
  },
  'opossum, with its timeout': () => {
    const breaker = new CircuitBreaker(work, { timeout: 1000, volumeThreshold: 20, capacity: 1000 });
    return () => breaker.fire();
  },
  'cockatiel, four policies': () => {
    const policy = cockatielPolicy(sampling(0.5));
    return () => policy.execute(work);
  },
  'spillway open, call': async () => {
    const dep = await opened(OPEN);
    return () => dep.call(work);
  },
  'spillway open, settle': async () => {
    const dep = await opened(OPEN);
    return () => dep.settle(work);
  },
  'cockatiel open': async () => {
    const policy = await openedCockatiel();
    return () => policy.execute(work);
  },
  'opossum open': async () => {
    const breaker = await openedOpossum();
    return () => breaker.fire();
  },
  'spillway, half failing': () => {
    const dep = dependency(FLICKERING);
    return () => dep.call(flicker, { idempotent: true });
  },
  'cockatiel, half failing': () => {
    const policy = cockatielPolicy(sampling(0.9));
    return () => policy.execute(flicker);
  },
};
