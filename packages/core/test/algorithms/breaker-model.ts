import type { BreakerMachineOptions, BreakerResult } from '../../src/algorithms/breaker.js';

interface Entry {
  readonly at: number;
  readonly failed: boolean;
  readonly slow: boolean;
}

interface Probe {
  readonly startedAt: number;
  /** Undefined while it runs. */
  good: boolean | undefined;
}

/** One period in one state. */
interface Period {
  readonly name: 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled';
  readonly since: number;
  /** Open periods only. */
  readonly until: number;
  readonly calls: Entry[];
  readonly operations: Entry[];
  readonly probes: Probe[];
}

export type Pass = { readonly period: Period; readonly probe: Probe | undefined };

/**
 * The breaker's rules once more, told as a history: a list of periods, each with the list of everything that
 * happened in it. Slow, forgetful of nothing, without spread; whatever is due is done before anything else.
 */
export class BreakerModel {
  readonly moves: string[] = [];
  #period: Period = period('closed', 0);
  #doublings = -1;
  readonly #options: BreakerMachineOptions;

  constructor(options: BreakerMachineOptions) {
    this.#options = options;
  }

  admit(now: number): Pass | undefined {
    this.#settleDue(now);
    const here = this.#period;
    if (here.name === 'closed' || here.name === 'disabled') return { period: here, probe: undefined };
    if (here.name === 'forced-open') return undefined;
    if (here.name === 'open') {
      if (now < here.until) return undefined;
      this.#move(period('half-open', now), now);
    }
    if (this.#period.probes.length >= this.#options.probes.count) return undefined;
    const probe: Probe = { startedAt: now, good: undefined };
    this.#period.probes.push(probe);
    return { period: this.#period, probe };
  }

  startOperation(now: number): Period | undefined {
    this.#settleDue(now);
    return this.#period.name === 'closed' ? this.#period : undefined;
  }

  record(pass: Pass, result: BreakerResult, durationMs: number, now: number): void {
    this.#settleDue(now);
    if (pass.period !== this.#period) return;
    if (pass.probe !== undefined) this.#recordProbe(pass.probe, result, durationMs, now);
    else if (this.#period.name === 'closed' && result !== 'ignored') {
      this.#period.calls.push(this.#entry(result, durationMs, now));
      if (this.#isBad(this.#period.calls, now) || this.#isRun(now))
        this.#trip(now, this.#period.calls.length - 1);
    }
  }

  recordOperation(started: Period | undefined, result: BreakerResult, durationMs: number, now: number): void {
    this.#settleDue(now);
    if (started !== this.#period || result === 'ignored' || !this.#options.operationsWindow) return;
    started.operations.push(this.#entry(result, durationMs, now));
    if (this.#isBad(started.operations, now)) this.#trip(now, started.calls.length);
  }

  force(name: 'closed' | 'forced-open' | 'disabled', now: number, forget = false): void {
    this.#settleDue(now);
    if (forget) this.#doublings = -1;
    this.#move(period(name, now), now);
  }

  /** What a reader sees at `now`: state, whether the next is a probe or refused, the wait, and the counts. */
  look(now: number): unknown[] {
    this.#settleDue(now);
    const { name, until, probes, calls, operations } = this.#period;
    const over = name === 'open' && now >= until;
    const free = over || (name === 'half-open' && probes.length < this.#options.probes.count);
    const refuses = name === 'forced-open' || (name === 'open' && !over) || (name === 'half-open' && !free);
    return [
      over ? 'half-open' : name,
      free,
      refuses,
      this.#wait(refuses, now),
      count(this.#inside(calls, now)),
      count(this.#inside(operations, now)),
    ];
  }

  #wait(refuses: boolean, now: number): number {
    const { name, until, probes } = this.#period;
    const { openForMs, leaseMs } = this.#options;
    if (!refuses) return 0;
    if (name === 'forced-open') return openForMs;
    if (name === 'open') return until - now;
    const running = probes
      .filter(({ good }) => good === undefined)
      .map(({ startedAt }) => startedAt + leaseMs);
    return Math.min(openForMs, ...running.map((at) => at - now));
  }

  #recordProbe(probe: Probe, result: BreakerResult, durationMs: number, now: number): void {
    if (probe.good !== undefined || !this.#period.probes.includes(probe)) return;
    if (result === 'ignored') {
      this.#period.probes.splice(this.#period.probes.indexOf(probe), 1);
      return;
    }
    const { failed, slow } = this.#entry(result, durationMs, now);
    probe.good = !failed && !slow;
    this.#weigh(now);
  }

  #weigh(now: number): void {
    const { count: places, rate } = this.#options.probes;
    const settled = this.#period.probes.filter(({ good }) => good !== undefined);
    const bad = settled.filter(({ good }) => good === false).length;
    if (rate === undefined ? bad > 0 : settled.length === places && bad >= rate * places) this.#open(now);
    else if (settled.length === places) this.#move(period('closed', now), now);
  }

  #settleDue(now: number): void {
    for (;;) {
      const { name, probes } = this.#period;
      if (name !== 'half-open') return;
      const lapses = probes.filter(({ good }) => good === undefined);
      const first = lapses.reduce<Probe | undefined>(
        (a, b) => (a && a.startedAt <= b.startedAt ? a : b),
        undefined,
      );
      if (first === undefined || first.startedAt + this.#options.leaseMs > now) return;
      first.good = false;
      this.#weigh(first.startedAt + this.#options.leaseMs);
    }
  }

  #isBad(entries: readonly Entry[], now: number): boolean {
    const { window, minCalls, failureRate, slow } = this.#options;
    const inside = this.#inside(entries, now);
    const enough = 'calls' in window ? Math.min(minCalls, window.calls) : minCalls;
    if (inside.length < enough || inside.length === 0) return false;
    const share = (some: number) => some / inside.length;
    if (failureRate !== undefined && share(inside.filter(({ failed }) => failed).length) >= failureRate)
      return true;
    return slow !== undefined && share(inside.filter((entry) => entry.slow).length) >= slow.rate;
  }

  #isRun(now: number): boolean {
    const { window, consecutive } = this.#options;
    if (consecutive === undefined) return false;
    const last = this.#period.calls.slice(-consecutive);
    const young = (entry: Entry) => 'calls' in window || entry.at > now - window.ms;
    return last.length === consecutive && last.every((entry) => entry.failed && young(entry));
  }

  #inside(entries: readonly Entry[], now: number): readonly Entry[] {
    const { window } = this.#options;
    return 'calls' in window
      ? entries.slice(-window.calls)
      : entries.filter(({ at }) => at > now - window.ms);
  }

  /** @param before calls recorded before what trips it */
  #trip(now: number, before: number): void {
    const { window } = this.#options;
    const { since } = this.#period;
    const full = 'calls' in window ? before >= window.calls : now - since >= window.ms;
    if (full) this.#doublings = -1;
    this.#open(now);
  }

  #open(now: number): void {
    const { openForMs, maxOpenForMs } = this.#options;
    this.#doublings++;
    const openMs = Math.min(maxOpenForMs, openForMs * 2 ** this.#doublings);
    this.#move({ ...period('open', now), until: now + openMs }, now, openMs);
  }

  #move(next: Period, now: number, openMs?: number): void {
    if (next.name !== this.#period.name) {
      this.moves.push(
        `${now} ${this.#period.name} -> ${next.name}${openMs === undefined ? '' : ` for ${openMs}`}`,
      );
    }
    this.#period = next;
  }

  #entry(result: BreakerResult, durationMs: number, at: number): Entry {
    const { slow } = this.#options;
    return { at, failed: result === 'failure', slow: slow !== undefined && durationMs > slow.overMs };
  }
}

function period(name: Period['name'], since: number): Period {
  return { name, since, until: 0, calls: [], operations: [], probes: [] };
}

function count(entries: readonly Entry[]): string {
  const failures = entries.filter(({ failed }) => failed).length;
  return `${entries.length}/${failures}/${entries.filter(({ slow }) => slow).length}`;
}
