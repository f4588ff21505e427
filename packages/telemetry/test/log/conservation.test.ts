import { beforeAll, describe, expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { inVirtualTime, overSockets, type Witnesses } from './witnesses.js';

const OPERATIONS = process.env['NIGHTLY'] ? 10_000 : 4_000;

/** How often each value occurs. */
function tally(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

describe.each<[string, () => Promise<Witnesses>]>([
  [`${OPERATIONS} operations in virtual time`, () => inVirtualTime(OPERATIONS)],
  ['400 operations over real sockets', () => overSockets(400)],
])('of %s', (_name, run) => {
  let told: Witnesses;
  const linesOf = (event: string) => told.lines.filter((line) => line['event'] === event);
  const spansOf = (kind: SpanKind) => told.spans.filter((span) => span.kind === kind);

  beforeAll(async () => {
    told = await run();
  }, 120_000);

  test('each kind of end occurs', () => {
    expect(Object.values(told.seen).reduce((a, b) => a + b)).toBe(told.operations);
    expect(Object.entries(told.seen).filter(([, count]) => count < 3)).toEqual([]);
  });

  test('the log has each end once, as its user saw it', () => {
    const ends = linesOf('operation.end');
    expect(tally(ends.map((line) => line['outcome']))).toEqual(told.seen);
    expect(new Set(ends.map((line) => line['operation_id'])).size).toBe(told.operations);
  });

  test('the traces have each end once, as its user saw it', () => {
    const ends = spansOf(SpanKind.INTERNAL);
    expect(tally(ends.map(({ attributes }) => attributes['spillway.outcome']))).toEqual(told.seen);
    const ids = new Set(ends.map(({ attributes }) => attributes['spillway.operation.id']));
    expect(ids.size).toBe(told.operations);
    const errors = ends.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(errors).toHaveLength(told.seen.failed + told.seen.refused);
  });

  test('the dead letters are those that failed or were refused, each once', () => {
    const { failed, refused } = told.seen;
    expect(tally(told.letters.map((letter) => letter['outcome']))).toEqual({ failed, refused });
    expect(new Set(told.letters.map((letter) => letter['operation_id'])).size).toBe(failed + refused);
  });

  test('attempts and resends are what reached the server, and what was refused by it', () => {
    const resends = linesOf('attempt.resend').length;
    expect(linesOf('attempt.end').length + resends).toBe(told.asked);
    const notes = told.spans.flatMap(({ events }) => events.map(({ name }) => name));
    expect(tally(notes)['attempt.resend'] ?? 0).toBe(resends);
  });

  test('log and traces agree on every attempt: of which operation, which number, what became of it', () => {
    const logged = linesOf('attempt.end').map(
      (line) => `${line['operation_id']}/${line['attempt_number']} ${line['kind']} ${line['status']}`,
    );
    const ids = new Map(
      spansOf(SpanKind.INTERNAL).map((span) => [
        span.spanContext().spanId,
        span.attributes['spillway.operation.id'],
      ]),
    );
    const traced = spansOf(SpanKind.CLIENT).map(({ attributes, parentSpanContext }) => {
      const id = ids.get(parentSpanContext?.spanId ?? '');
      const { 'spillway.attempt': attempt, 'spillway.kind': kind } = attributes;
      return `${id}/${attempt} ${kind} ${attributes['http.response.status_code']}`;
    });
    expect(traced.toSorted()).toEqual(logged.toSorted());
    expect(logged.length).toBe(told.snapshot.dependencies.reduce((sum, { attempts }) => sum + attempts, 0));
  });

  test('failed attempts are not failed operations, and every operation tells how many it made', () => {
    const errors = linesOf('operation.end').filter((line) => line['level'] === 'error');
    expect(errors).toHaveLength(told.seen.failed);
    expect(linesOf('attempt.end').filter((line) => line['level'] === 'error')).toEqual([]);
    const failures = linesOf('attempt.end').filter((line) => line['outcome'] === 'failure');
    expect(failures.length).toBeGreaterThan(told.seen.failed);
    const attempts = linesOf('operation.end').reduce((sum, line) => sum + Number(line['attempts']), 0);
    expect(attempts).toBe(linesOf('attempt.end').length);
  });

  test('nobody who listened failed', () => {
    expect(told.snapshot.observerFailures).toBe(0);
  });
});
