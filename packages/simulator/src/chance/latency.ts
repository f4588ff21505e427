import type { Random } from '@spillway/core';
import type { ResolvedLatency } from '../scenario/resolved.js';
import { exp, ln, normal } from './numbers.js';

/** Draws one latency, ms. */
export type Draw = (random: Random) => number;

/** Standard normal quantile of 0.99. */
const Z99 = 2.3263478740408408;

/** Turns a latency law into its draws. */
export function drawOf(law: ResolvedLatency): Draw {
  switch (law.law) {
    case 'fixed':
      return () => law.ms;
    case 'uniform':
      return (random) => law.fromMs + (law.toMs - law.fromMs) * random();
    case 'normal':
      return (random) => Math.max(law.minMs, law.meanMs + law.sdMs * normal(random));
    case 'log-normal':
      return logNormal(law.medianMs, law.p99Ms);
    case 'percentiles':
      return quantiles(law.points);
  }
}

function logNormal(medianMs: number, p99Ms: number): Draw {
  const mu = ln(medianMs);
  const sigma = (ln(p99Ms) - mu) / Z99;
  return (random) => exp(mu + sigma * normal(random));
}

/** Straight lines between the given quantiles. */
function quantiles(points: readonly (readonly [share: number, ms: number])[]): Draw {
  return (random) => {
    const share = random();
    let [belowShare, belowMs] = points[0] as readonly [number, number];
    for (const [atShare, atMs] of points) {
      if (share <= atShare) {
        const width = atShare - belowShare;
        return width === 0 ? atMs : belowMs + ((atMs - belowMs) * (share - belowShare)) / width;
      }
      belowShare = atShare;
      belowMs = atMs;
    }
    return belowMs;
  };
}
