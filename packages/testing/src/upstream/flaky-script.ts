/** One request as it reached a flaky server. */
export interface FlakyHit {
  /** 1-based, counted since the server started. */
  readonly number: number;
  /** 1-based, counted since the current script was set. */
  readonly step: number;
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** Path alone. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Body as text; grows until `complete`. */
  readonly body: string;
  /** The whole request arrived. */
  readonly complete: boolean;
  /** Number of the connection it came on, 1-based. */
  readonly connection: number;
  /** `clock.now()` when its headers arrived. */
  readonly at: number;
  /** When the answer had been written to its end. */
  readonly answeredAt: number | undefined;
  /** When the connection went away before that, whoever ended it. */
  readonly closedAt: number | undefined;
}

/** How a flaky server treats one request. Times are milliseconds of real time. */
export interface FlakyReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text and bytes go out as they are, anything else as JSON. Default `{"status":<status>}`. */
  readonly body?: unknown;
  /** Wait before the answer, or before the reset, begins. */
  readonly latency?: number;
  /** Resets the connection instead of answering: as soon as the headers are in, or once the body has been read. */
  readonly reset?: 'before-body' | 'after-body';
  /** Reads the request and never answers. */
  readonly stall?: true;
  /** Sends the headers and half of the body, and nothing more. */
  readonly stallBody?: true;
  /** Ends the connection after this many bytes of the body; `true`: after half of it. */
  readonly truncate?: number | true;
  /** Sends the body in pieces of `bytes` (default 1), one every `every` ms. */
  readonly drip?: { readonly every: number; readonly bytes?: number };
  /** Ends the connection after the answer. */
  readonly close?: true;
}

/** A status, a reply, or a function of the request that gives one. */
export type FlakyStep =
  | number
  | FlakyReply
  | ((hit: FlakyHit) => number | FlakyReply | Promise<number | FlakyReply>);

/** A time span, in ms since the script was set: `from` (default 0) included, `to` (default never) excluded. */
export interface FlakySpan {
  readonly from?: number;
  readonly to?: number;
  readonly reply: FlakyStep;
}

/** What a flaky server does: the first span that holds the present, else the step of the request's number. */
export interface FlakyPlan {
  readonly spans?: readonly FlakySpan[];
  /** One per request; the last repeats. Default 200. */
  readonly requests?: readonly FlakyStep[];
}

/** One step for every request, a list of steps of which the last repeats, or a plan. */
export type FlakyScript = FlakyStep | readonly FlakyStep[] | FlakyPlan;

/** @throws TypeError when the script or one of its steps is none of the above */
export function planOf(script: FlakyScript): FlakyPlan {
  const plan = shape(script);
  for (const span of plan.spans ?? []) checkStep(span.reply);
  for (const step of plan.requests ?? []) checkStep(step);
  return plan;
}

/** The step of the `number`th request (1-based), `elapsed` ms after the script was set. */
export function stepAt(plan: FlakyPlan, number: number, elapsed: number): FlakyStep {
  for (const { from = 0, to = Number.POSITIVE_INFINITY, reply } of plan.spans ?? []) {
    if (elapsed >= from && elapsed < to) return reply;
  }
  const steps = plan.requests ?? [];
  return steps[Math.min(number, steps.length) - 1] ?? 200;
}

export async function replyOf(step: FlakyStep, hit: FlakyHit): Promise<FlakyReply> {
  const reply = typeof step === 'function' ? await step(hit) : step;
  return typeof reply === 'number' ? { status: reply } : reply;
}

function shape(script: FlakyScript): FlakyPlan {
  if (typeof script === 'number' || typeof script === 'function') return { requests: [script] };
  if (Array.isArray(script)) return { requests: script as readonly FlakyStep[] };
  if (typeof script !== 'object' || script === null) throw unfit(script);
  return 'spans' in script || 'requests' in script ? script : { requests: [script as FlakyReply] };
}

function checkStep(step: FlakyStep): void {
  const status = typeof step === 'object' && step !== null ? (step.status ?? 200) : step;
  if (typeof status === 'function') return;
  if (!Number.isInteger(status) || status < 200 || status > 599) throw unfit(status);
}

function unfit(value: unknown): TypeError {
  return new TypeError(
    `flakyServer: a step is a status from 200 to 599, a reply object or a function; got ${String(value)}`,
  );
}
