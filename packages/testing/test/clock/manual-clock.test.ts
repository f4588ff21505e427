import { expect, test } from '@jest/globals';
import { after } from '@spillway/core';
import { manualClock } from '../../src/index.js';

test('A manual clock stands still until it is moved, and fires each timer at its own instant.', async () => {
  const clock = manualClock();
  const fired: number[] = [];
  for (const ms of [30, 10, 20]) after(clock, ms, () => fired.push(clock.now()));
  expect(clock.pending).toBe(3);
  await clock.advance(20);
  expect(fired).toEqual([10, 20]);
  await clock.advanceTo(100);
  expect(fired).toEqual([10, 20, 30]);
  expect(clock.now()).toBe(100);
});

test('A manual clock starts where it is told, and its wall clock moves alone.', () => {
  const clock = manualClock({ start: 500, wall: 1_000_000 });
  expect(clock.now()).toBe(500);
  expect(clock.wall()).toBe(1_000_500);
  clock.shiftWall(-3_600_000);
  expect(clock.now()).toBe(500);
  expect(clock.wall()).toBe(1_000_500 - 3_600_000);
});

test('Running to idle runs timers that timers arm, and ends at the last one.', async () => {
  const clock = manualClock();
  let rounds = 0;
  const again = () => {
    rounds++;
    if (rounds < 5) after(clock, 1000, again);
  };
  after(clock, 1000, again);
  await clock.runToIdle();
  expect(rounds).toBe(5);
  expect(clock.now()).toBe(5000);
  expect(clock.pending).toBe(0);
});
