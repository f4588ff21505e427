import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Criticality } from '../telemetry/events.js';
import type { Entry, Inbound } from './inbound.js';

/** What may be said of requests before their framework has seen them. */
export interface GuardOptions {
  /**
   * Paths, or a predicate over the path (without the query), that are never refused and not counted: health checks.
   * What the adapter and routes exempt is not known in front of the framework; name it here too.
   */
  readonly exempt?: readonly string[] | ((path: string) => boolean);
  /** Criticality of a request, in place of what a trusted caller says; `undefined` keeps that. */
  readonly priority?: (req: IncomingMessage) => Criticality | undefined;
}

/** A server, and where its requests go once they are let in. */
interface Guarded {
  readonly server: Server | SecureServer;
  readonly inbound: Inbound;
  readonly entryOf: (req: IncomingMessage) => Entry | undefined;
  readonly emit: Server['emit'];
}

/**
 * Puts the gate of `spillway` in front of the framework, at the server's `request` event: a refusal costs a fraction
 * of what it costs behind a router. Deadlines, draining and late answers are looked after from there on. The adapter
 * of the same spillway behind it, if there is one, takes an admitted request over; it is not counted twice.
 *
 * A request that says `Expect: 100-continue` is asked for its body once it is let in, and not before. Upgrades
 * (WebSockets) pass.
 * @example const server = app.listen(3000); guardServer(server, spillway, { exempt: ['/healthz'] });
 * @example guardServer(fastify.server, spillway);
 */
export function guardServer(
  server: Server | SecureServer,
  spillway: { readonly inbound: Inbound },
  options: GuardOptions = {},
): void {
  const { inbound } = spillway;
  const emit = server.emit as Server['emit'];
  const guarded: Guarded = { server, inbound, entryOf: entryReaderOf(options), emit };
  // not a listener: whoever listens, also later, is behind the gate
  server.emit = function guardedEmit(this: Server, event: string, ...args: unknown[]): boolean {
    if (event !== 'request' && event !== 'checkContinue') {
      return Reflect.apply(emit, this, [event, ...args]) as boolean;
    }
    takeIn(guarded, event, args[0] as IncomingMessage, args[1] as ServerResponse);
    return true;
  } as Server['emit'];
  // so that Node asks us before it asks for the body
  if (!server.listeners('checkContinue').includes(askedElsewhere)) server.on('checkContinue', askedElsewhere);
}

function takeIn(guarded: Guarded, event: string, req: IncomingMessage, res: ServerResponse): void {
  const { inbound, entryOf } = guarded;
  // an application that listens for `checkContinue` hands the request back as an ordinary one
  if (inbound.hasGuarded(req)) {
    pass(guarded, event, req, res);
    return;
  }
  const request = inbound.guard(req, res, entryOf(req));
  if (request.decision === 'refused') return;
  if (request.decision === 'admitted') pass(guarded, event, req, res);
  else {
    // a promise goes on in the context of this request, not of the one whose place it takes
    const decided = new Promise<boolean>((resolve) => request.whenDecided(resolve));
    decided.then((isAdmitted) => isAdmitted && pass(guarded, event, req, res));
  }
}

/** On to whoever listens, as without a guard. */
function pass({ server, emit }: Guarded, event: string, req: IncomingMessage, res: ServerResponse): void {
  const isOurs =
    event === 'checkContinue' && server.listeners(event).every((listener) => listener === askedElsewhere);
  if (isOurs) res.writeContinue();
  Reflect.apply(emit, server, [isOurs ? 'request' : event, req, res]);
}

function askedElsewhere(): void {
  // the guard has seen to it before the event was told
}

const NOTHING_SAID = (): undefined => undefined;

function entryReaderOf({ exempt, priority }: GuardOptions): (req: IncomingMessage) => Entry | undefined {
  if (exempt === undefined && priority === undefined) return NOTHING_SAID;
  const isExempt = exemption(exempt);
  return (req) => ({ exempt: isExempt(req), priority: priority?.(req) });
}

function exemption(exempt: GuardOptions['exempt']): (req: IncomingMessage) => boolean {
  if (exempt === undefined) return () => false;
  if (typeof exempt === 'function') return (req) => exempt(pathOf(req));
  const paths = new Set(exempt);
  return (req) => paths.has(pathOf(req));
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
