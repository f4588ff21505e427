import { createServer, type Socket } from 'node:net';
import { cleanUp } from './scene.js';

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server of raw connections: `play` says what the nth request on the nth connection gets. */
export async function rawServer(play: (socket: Socket, connection: number, request: number) => void) {
  const seen: [number, number][] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let requests = 0;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      seen.push([connection, ++requests]);
      play(socket, connection, requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, seen };
}
