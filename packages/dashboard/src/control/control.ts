import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResolvedOptions } from '../options.js';
import { answerJson, refuse } from '../web/answer.js';
import type { Actions } from './actions.js';
import { readBody } from './read-body.js';
import { isSameOrigin } from './same-origin.js';

type Refusal = readonly [status: number, detail: string, headers?: OutgoingHttpHeaders];

/** Answers control requests: only for those who may, and only from the page itself. */
export class Control {
  readonly #actions: Actions;
  readonly #authorize: ResolvedOptions['authorize'];
  readonly #done: (dependency: string, text: string) => void;

  /** @param done told what was done, for the timeline */
  constructor(
    actions: Actions,
    authorize: ResolvedOptions['authorize'],
    done: (dependency: string, text: string) => void,
  ) {
    this.#actions = actions;
    this.#authorize = authorize;
    this.#done = done;
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'GET' || req.method === 'HEAD') {
      answerJson(res, 200, { allowed: await this.#isAllowed(req) });
      return;
    }
    const refusal = this.#refusalOf(req);
    if (refusal !== undefined) refuse(res, ...refusal);
    else if (!(await this.#isAllowed(req))) refuse(res, 403, 'authorize(req) does not allow it');
    else await this.#obey(req, res);
  }

  #refusalOf(req: IncomingMessage): Refusal | undefined {
    if (req.method !== 'POST') return [405, 'Control takes POST', { Allow: 'GET, HEAD, POST' }];
    if (this.#authorize === undefined)
      return [403, 'Control is off: give dashboard(spillway, { authorize }) to allow it'];
    if (!isSameOrigin(req)) return [403, 'Control takes requests of its own page only'];
    const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    return type === 'application/json' ? undefined : [415, 'Control takes application/json'];
  }

  async #isAllowed(req: IncomingMessage): Promise<boolean> {
    return this.#authorize !== undefined && (await this.#authorize(req)) === true;
  }

  async #obey(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    // hung up half way: nobody is there to be answered
    if (body === undefined) return;
    if (!('value' in body)) {
      // the rest of a body that is too long is not read
      refuse(res, body.status, body.detail, { Connection: 'close' });
      return;
    }
    const result = this.#actions.do(body.value);
    if (!result.ok) {
      refuse(res, result.status, result.detail);
      return;
    }
    this.#done((body.value as { dependency: string }).dependency, result.text);
    answerJson(res, 200, { done: result.text });
  }
}
