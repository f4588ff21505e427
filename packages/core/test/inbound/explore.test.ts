import { expect, it } from '@jest/globals';
import { simulateLoad } from './support/simulated-loop.js';
const limit = { kind: 'loop', turnMs: 10, min: 1, max: 1000 } as const;
it('explores', () => {
  const rows: string[] = [];
  const row = (name: string, o: Partial<Parameters<typeof simulateLoad>[0]>) => {
    const base = { rate: 250, seconds: 6, workMs: 4, deadlineMs: 500, limit, ...o };
    const r = simulateLoad(base as never);
    const cap = (base.seconds * 1000) / base.workMs;
    rows.push(`${name}: sent ${r.sent} goodput ${(r.good / cap).toFixed(3)} refused ${r.refused} p50 ${r.refusedP50.toFixed(0)} late ${r.late} (${((100 * r.late) / r.sent).toFixed(2)}%) turn ${r.longestTurnMs.toFixed(0)} crit ${(r.goodOf('critical')/Math.max(1,r.sentOf('critical'))).toFixed(3)}`);
  };
  for (const x of [0.8, 0.95, 1.5, 3, 5, 10]) {
    row(`x${x}`, { rate: 250 * x });
    row(`x${x} poisson`, { rate: 250 * x, seed: 7 });
    row(`x${x} await 50`, { rate: 250 * x, awaitMs: 50 });
    row(`x${x} await 300`, { rate: 250 * x, awaitMs: 300 });
    row(`x${x} prio`, { rate: 250 * x, seed: 3, priority: (i) => (i % 5 === 0 ? 'critical' : 'sheddable') });
    row(`x${x} 1ms`, { rate: 1000 * x, workMs: 1 });
    row(`x${x} 20ms`, { rate: 50 * x, workMs: 20 });
  }
  row('healthy', { rate: 200, awaitMs: 500, workMs: 0.1, seconds: 20, stalls: [[10, 30], [60, 20], [90,15], [3000, 60], [3100, 40], [8000, 200]] });
  console.log(rows.join('\n'));
  expect(1).toBe(1);
});
