import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import * as cockatiel from 'cockatiel';
import got from 'got';
import CircuitBreaker from 'opossum';
import { Agent, RetryAgent, request } from 'undici';

const BACKOFF_MS = [100, 200, 400];
const FOUR = BACKOFF_MS.length + 1;
const plain = got.extend({ retry: { limit: 0 } });

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Four attempts, 100, 200 and 400 ms apart, as one writes it by hand. */
async function loop(url) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await plain(url).text();
    } catch (error) {
      if (attempt === FOUR - 1) throw error;
      await sleep(BACKOFF_MS[attempt]);
    }
  }
}

/** Each makes the call under measurement: four attempts, and a breaker of five failures and 5 s where there is one. */
export const CLIENTS = {
  'retries alone': (url) => () => loop(url),
  got: (url) => () => got(url, { retry: { limit: FOUR - 1, backoffLimit: 1000 } }).text(),
  'undici RetryAgent': (url) => {
    const dispatcher = new RetryAgent(new Agent(), {
      maxRetries: FOUR - 1,
      minTimeout: 100,
      maxTimeout: 400,
      statusCodes: [503],
    });
    return async () => {
      const { body, statusCode } = await request(url, { dispatcher });
      await body.dump();
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
    };
  },
  cockatiel: (url) => {
    const policy = cockatiel.wrap(
      cockatiel.retry(cockatiel.handleAll, {
        maxAttempts: FOUR - 1,
        backoff: new cockatiel.IterableBackoff(BACKOFF_MS),
      }),
      cockatiel.circuitBreaker(cockatiel.handleAll, {
        halfOpenAfter: 5000,
        breaker: new cockatiel.ConsecutiveBreaker(5),
      }),
    );
    return () => policy.execute(() => plain(url).text());
  },
  opossum: (url) => {
    const breaker = new CircuitBreaker(() => loop(url), {
      timeout: false,
      volumeThreshold: 5,
      errorThresholdPercentage: 50,
      resetTimeout: 5000,
    });
    return () => breaker.fire();
  },
  spillway: (url) => {
    const spillway = createSpillway({
      service: 'bench',
      dependencies: {
        dep: {
          baseUrl: url,
          deadline: '10s',
          attempt: { timeout: '3s' },
          retry: { attempts: FOUR, backoff: { base: '100ms', cap: '400ms', jitter: 'none' }, budget: false },
          bulkhead: false,
          breaker: { consecutive: 5, openFor: '5s', maxOpenFor: '5s', jitter: 0, probes: 1 },
        },
      },
    });
    const client = clients(spillway)('dep');
    return () => client.get('').text();
  },
};
