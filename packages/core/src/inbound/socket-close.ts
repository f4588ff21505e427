import type { Socket } from 'node:net';

type Listener = () => void;

const listeners = new WeakMap<Socket, Set<Listener>>();

/**
 * Calls `listener` once when `socket` closes. However many requests of one connection ask, the socket has one
 * listener of ours, so that no warning of too many comes of a client that pipelines.
 * @returns takes the listener off again
 */
export function onSocketClose(socket: Socket, listener: Listener): () => void {
  let all = listeners.get(socket);
  if (all === undefined) {
    all = listen(socket);
    listeners.set(socket, all);
  }
  all.add(listener);
  return () => all.delete(listener);
}

function listen(socket: Socket): Set<Listener> {
  const all = new Set<Listener>();
  socket.once('close', () => {
    listeners.delete(socket);
    for (const listener of all) listener();
  });
  return all;
}
