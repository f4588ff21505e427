import type { Scenario, Service } from '../scenario/types.js';

/** A service of the chain whose every failure is retried. */
function layer(to: string, attempts: number, owner: 'here' | 'ignore'): Service {
  const retry = { attempts, owner, budget: false, backoff: { base: '1ms', jitter: 'none' } } as const;
  return {
    latency: 0,
    calls: [to],
    spillway: {
      // the attempts of a layer must outlast all those below it
      defaults: { deadline: '60s', attempt: { timeout: '20s' }, breaker: false, bulkhead: false },
      dependencies: { [to]: { retry } },
    },
  };
}

const NAMES = ['edge', 'orders', 'stock', 'prices'];

function chain(
  attempts: readonly number[],
  owner: 'here' | 'ignore',
  names: readonly string[] = NAMES.slice(-attempts.length),
): Record<string, Service> {
  const services = names.map((name, i) => [name, layer(names[i + 1] ?? 'database', attempts[i] ?? 1, owner)]);
  return Object.fromEntries(services);
}

function variant(attempts: readonly number[], owner: 'here' | 'ignore', reach: number) {
  const services = chain(attempts, owner);
  const [first = ''] = Object.keys(services);
  return {
    services,
    traffic: { users: { to: first } },
    expect: [`prices.database.attempts = ${reach}`],
  };
}

/** A mesh's proxy beside each application retries as well, and neither hears of the other. */
function meshed(hops: number, reach: number) {
  const names = Array.from({ length: hops }, (_, i) => [`app${i + 1}`, `mesh${i + 1}`]).flat();
  const services = chain(
    names.map(() => 3),
    'ignore',
    names,
  );
  const focus = `mesh${hops}.database`;
  return { services, focus, traffic: { users: { to: 'app1' } }, expect: [`${focus}.attempts = ${reach}`] };
}

/** One request that fails all the way down, through layers that each retry. */
export const layers: Scenario = {
  name: 'layers',
  about: 'Retries in several layers multiply; when the layer nearest to the failure owns them they do not.',
  duration: '1s',
  settle: '120s',
  focus: 'prices.database',
  services: {
    ...chain([1, 1, 1, 1], 'here'),
    database: { latency: '1ms', faults: [{ kind: 'status', status: 503 }] },
  },
  // one request
  traffic: { users: { to: 'orders', arrivals: { trace: [0] } } },
  variants: {
    threeOfFour: variant([4, 4, 4], 'ignore', 64),
    threeOfThree: variant([3, 3, 3], 'ignore', 27),
    fourOfThree: variant([3, 3, 3, 3], 'ignore', 81),
    appAndMesh: meshed(1, 9),
    appAndMeshTwice: meshed(2, 81),
    threeOfFourOwned: variant([4, 4, 4], 'here', 4),
    threeOfThreeOwned: variant([3, 3, 3], 'here', 3),
    fourOfThreeOwned: variant([3, 3, 3, 3], 'here', 3),
  },
};
