import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hands each request to the next of several instances, in turn. */
export async function startBalancer(instances: readonly string[]) {
  let turn = 0;
  const server = createServer((req, res) => {
    const target = new URL(req.url ?? '/', instances[turn++ % instances.length]);
    const { method = 'GET', headers } = req;
    const onward = request(target, { method, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.once('close', () => onward.destroy());
    req.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
