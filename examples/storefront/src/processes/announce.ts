import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Order, Report } from './messages.js';

// The child's side. A terminal sends Ctrl-C to all of us; the parent decides, and its end is ours.
if (process.send !== undefined) {
  // it may have gone before we got here
  if (!process.connected) process.exit(0);
  process.on('disconnect', () => process.exit(0));
  process.on('SIGINT', () => {});
}

/** Says where a server listens: to the parent, or to the person who started it by hand. */
export function announce(server: Server): void {
  server.once('listening', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (process.send === undefined) console.log(`listening on ${url}`);
    else report({ type: 'ready', url });
  });
}

export function report(message: Report): void {
  if (process.connected) process.send?.(message);
}

export function onOrder(follow: (order: Order) => unknown): void {
  process.on('message', (order) => follow(order as Order));
}
