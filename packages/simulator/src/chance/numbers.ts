import type { Random } from '@spillway/core';

const { LN2, SQRT1_2: SQRT_HALF } = Math;

/**
 * The natural logarithm by additions and multiplications alone: engines differ in the last bits of `Math.log`, and
 * a simulation must give the same bytes on all of them. Relative error below 1e-14.
 * @param x above 0
 */
export function ln(x: number): number {
  let mantissa = x;
  let exponent = 0;
  while (mantissa >= 2 * SQRT_HALF) {
    mantissa /= 2;
    exponent++;
  }
  while (mantissa < SQRT_HALF) {
    mantissa *= 2;
    exponent--;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let power = s;
  let sum = 0;
  for (let n = 1; n < 40; n += 2) {
    sum += power / n;
    power *= square;
  }
  return 2 * sum + exponent * LN2;
}

/** e to the power of `x`, as exact as `ln` and for the same reason. */
export function exp(x: number): number {
  const halvings = Math.round(x / LN2);
  const rest = x - halvings * LN2;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < 20; n++) {
    term *= rest / n;
    sum += term;
  }
  return halvings >= 0 ? sum * 2 ** halvings : sum / 2 ** -halvings;
}

/** A draw of the standard normal distribution (Marsaglia's polar method). */
export function normal(random: Random): number {
  for (;;) {
    const u = 2 * random() - 1;
    const v = 2 * random() - 1;
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * ln(s)) / s);
  }
}

/** A draw of the exponential distribution with the given mean: the gaps of a Poisson process. */
export function exponential(random: Random, mean: number): number {
  return -mean * ln(1 - random());
}
