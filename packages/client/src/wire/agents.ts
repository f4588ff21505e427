import http from 'node:http';
import https from 'node:https';

/** The keep-alive connections of one dependency: one agent per protocol, made when it is first needed. */
export class Agents {
  readonly #sockets: number;
  #http: http.Agent | undefined;
  #https: https.Agent | undefined;

  /** @param sockets most connections per origin */
  constructor(sockets: number) {
    this.#sockets = sockets;
  }

  of(protocol: string): http.Agent {
    if (protocol === 'https:') {
      this.#https ??= new https.Agent({ keepAlive: true, maxSockets: this.#sockets });
      return this.#https;
    }
    this.#http ??= new http.Agent({ keepAlive: true, maxSockets: this.#sockets });
    return this.#http;
  }

  /** Closes every connection, those in use too. */
  destroy(): void {
    this.#http?.destroy();
    this.#https?.destroy();
  }
}
