// One client, named by the argument, in a process of its own: microseconds of processor time for a GET.
const url = `http://127.0.0.1:${process.env.UPSTREAM_PORT}/`;
const WARM_UP = 12_000;
const REQUESTS = Number(process.env.REQUESTS ?? 12_000);
const AT_ONCE = 10;

/** Ways to get the JSON, each with nothing loaded but what it needs. */
const GETS = {
  spillway: async () => {
    const { createSpillway } = await import('@spillway/core');
    const { clients } = await import('@spillway/client');
    const client = clients(createSpillway({ service: 'bench', dependencies: { dep: { baseUrl: url } } }))(
      'dep',
    );
    return () => client.get('').json();
  },
  got: async () => {
    const { default: got } = await import('got');
    return () => got(url).json();
  },
  'undici RetryAgent': async () => {
    const { Agent, RetryAgent, request } = await import('undici');
    const dispatcher = new RetryAgent(new Agent());
    return async () => (await request(url, { dispatcher })).body.json();
  },
};

const get = await GETS[process.argv[2]]();

async function ask(count) {
  for (let i = 0; i < count; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, get));
}

await ask(WARM_UP);
const cpu = process.cpuUsage();
await ask(REQUESTS);
const { user, system } = process.cpuUsage(cpu);
process.send((user + system) / REQUESTS);
process.once('disconnect', () => process.exit(0));
