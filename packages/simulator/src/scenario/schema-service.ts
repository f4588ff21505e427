import type { SpillwayConfig } from '@spillway/core';
import { z } from 'zod';
import { above, choice, duration, flag, from, leaf, named, part, text, whole } from './leaves.js';
import type {
  ResolvedCall,
  ResolvedFault,
  ResolvedLatency,
  ResolvedRestart,
  ResolvedService,
} from './resolved.js';

const LAWS = 'a duration, or an object with one of fixed, uniform, normal, logNormal, percentiles';

const laws = part({
  fixed: duration().optional(),
  uniform: part({ from: duration(), to: duration() }).optional(),
  normal: part({ mean: duration(), sd: duration(), min: duration().default(0) }).optional(),
  logNormal: part({ median: duration(0.001), p99: duration(0.001) }).optional(),
  percentiles: z
    .record(
      leaf<string>((key) => shareOf(key) !== undefined, "a quantile, as 'p50', 'p99.9', 'min' or 'max'"),
      duration(),
      { error: "an object of durations by quantile, as { p50: '20ms', p99: '90ms' }" },
    )
    .optional(),
}).refine((law) => Object.values(law).filter((value) => value !== undefined).length === 1, { error: LAWS });

const latencySchema: z.ZodType<ResolvedLatency> = z.preprocess(
  (value) => (typeof value === 'string' || typeof value === 'number' ? { fixed: value } : value),
  laws.transform(toLaw),
);

function toLaw(law: z.output<typeof laws>): ResolvedLatency {
  if (law.uniform !== undefined) return { law: 'uniform', fromMs: law.uniform.from, toMs: law.uniform.to };
  if (law.normal !== undefined) {
    return { law: 'normal', meanMs: law.normal.mean, sdMs: law.normal.sd, minMs: law.normal.min };
  }
  if (law.logNormal !== undefined) {
    return { law: 'log-normal', medianMs: law.logNormal.median, p99Ms: law.logNormal.p99 };
  }
  if (law.percentiles !== undefined) return { law: 'percentiles', points: pointsOf(law.percentiles) };
  return { law: 'fixed', ms: law.fixed ?? 0 };
}

function shareOf(key: unknown): number | undefined {
  if (key === 'min') return 0;
  if (key === 'max') return 1;
  const digits = typeof key === 'string' ? /^p(\d{1,2}(?:\.\d{1,3})?)$/.exec(key)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits) / 100;
}

/** In order; below the first the half of it, above the last that one, unless `min` and `max` say otherwise. */
function pointsOf(given: Readonly<Record<string, number>>): readonly (readonly [number, number])[] {
  const points = Object.entries(given)
    .map(([key, ms]): readonly [number, number] => [shareOf(key) ?? 0, ms])
    .sort((a, b) => a[0] - b[0]);
  const [first] = points;
  if (first !== undefined && first[0] > 0) points.unshift([0, first[1] / 2]);
  return points;
}

const span = { from: duration().default(0), to: duration().default(Number.POSITIVE_INFINITY) };

const faultSchema: z.ZodType<ResolvedFault> = part({
  kind: choice('status', 'slow', 'hang', 'reset', 'refuse'),
  ...span,
  share: above(0, 1).default(1),
  status: whole(400, 599).default(503),
  retryAfter: duration().optional(),
  factor: above(0, 1_000_000).default(10),
  after: duration().default(0),
}).transform((fault) => ({ ...fault, retryAfter: fault.retryAfter }));

const restartSchema: z.ZodType<ResolvedRestart> = part({
  at: duration(),
  down: duration().default(2000),
  cold: part({ for: duration(), factor: from(1, 1_000_000) }).optional(),
  rolling: duration().default(0),
}).transform((restart) => ({ ...restart, cold: restart.cold }));

const callSchema: z.ZodType<ResolvedCall> = z.preprocess(
  (value) => (typeof value === 'string' ? { to: value } : value),
  part({
    to: text,
    share: above(0, 1).default(1),
    times: whole(1, 1000).default(1),
    idempotent: flag.default(true),
    optional: flag.default(false),
  }),
);

/** The configuration is validated by core, with its own messages. */
const spillwaySchema = leaf<SpillwayConfig>(
  (value) => typeof value === 'object' && value !== null,
  'a Spillway configuration',
);

const serviceSchema: z.ZodType<ResolvedService> = part({
  latency: latencySchema.default({ law: 'fixed', ms: 10 }),
  capacity: whole(1, 1_000_000).default(Number.POSITIVE_INFINITY),
  queue: whole(0, 10_000_000).default(1000),
  instances: whole(1, 100).default(1),
  whenGone: choice('finish', 'stop').default('finish'),
  faults: z.array(faultSchema, { error: 'a list of faults' }).default([]),
  restarts: z.array(restartSchema, { error: 'a list of restarts' }).default([]),
  spillway: spillwaySchema.optional(),
  calls: z.array(callSchema, { error: 'a list of names of services, or of calls' }).default([]),
  parallel: flag.default(false),
}).transform((service) => ({ ...service, spillway: service.spillway }));

export const servicesSchema: z.ZodType<Readonly<Record<string, ResolvedService>>> = named(
  serviceSchema,
  'services',
);
