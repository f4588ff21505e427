import { z } from 'zod';
import { choice, duration, flag, from, leaf, named, part, text, whole } from './leaves.js';
import type { ResolvedArrivals, ResolvedScenario, ResolvedTraffic } from './resolved.js';
import { servicesSchema } from './schema-service.js';

const SETTLE_MS = 60_000;
const STEPS = 200;
/** Callers who are refused at once still take this long to ask again. */
const LEAST_PAUSE_MS = 1;
const FINEST_STEP_MS = 50;
const ARRIVALS = "an object with one of rate, callers, trace; 'spacing' goes with rate, 'pause' with callers";

const rateSchema = z.preprocess(
  (value) => (typeof value === 'number' ? [{ at: 0, rate: value }] : value),
  z
    .array(part({ at: duration(), rate: from(0, 1_000_000) }), {
      error: 'requests per second from 0 to 1,000,000, or a list of { at, rate }',
    })
    .min(1, { error: 'a list of { at, rate }, at least one' }),
);

const arrivalsParts = part({
  rate: rateSchema.optional(),
  spacing: choice('even', 'poisson').optional(),
  callers: whole(1, 100_000).optional(),
  pause: duration(0.1).optional(),
  trace: leaf<readonly number[] | string>(
    isTrace,
    'a list of instants in ms, in order, or the path of a CSV file or an access log',
  ).optional(),
});
type Arrivals = z.output<typeof arrivalsParts>;
const arrivalsSchema: z.ZodType<ResolvedArrivals> = arrivalsParts
  .refine(isOneKind, { error: ARRIVALS })
  .transform(toArrivals);

function isTrace(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (!Array.isArray(value)) return false;
  return value.every((at, i) => typeof at === 'number' && at >= 0 && (i === 0 || at >= value[i - 1]));
}

function isOneKind({ rate, spacing, callers, pause, trace }: Arrivals): boolean {
  const kinds = [rate, callers, trace].filter((kind) => kind !== undefined).length;
  return (
    kinds === 1 &&
    (spacing === undefined || rate !== undefined) &&
    (pause === undefined || callers !== undefined)
  );
}

function toArrivals({ rate, spacing, callers, pause, trace }: Arrivals): ResolvedArrivals {
  if (callers !== undefined) return { kind: 'callers', callers, pause: pause ?? LEAST_PAUSE_MS };
  if (trace !== undefined) return { kind: 'trace', times: trace };
  return { kind: 'rate', steps: rate ?? [], spacing: spacing ?? 'even' };
}

const trafficSchema: z.ZodType<ResolvedTraffic> = part({
  to: text,
  arrivals: arrivalsSchema,
  patience: duration(1).default(Number.POSITIVE_INFINITY),
  sendsDeadline: flag.default(false),
  priority: choice('critical_plus', 'critical', 'sheddable_plus', 'sheddable').default('critical'),
});

/** Everything but `variants`, which are patches of the written scenario. */
export const scenarioSchema: z.ZodType<ResolvedScenario> = part({
  name: text.default('scenario'),
  about: text.default('no description'),
  seed: whole(0, 4_294_967_295).default(1),
  duration: duration(1),
  settle: duration().default(SETTLE_MS),
  measure: part({ from: duration().default(0), to: duration().default(Number.POSITIVE_INFINITY) }).default({
    from: 0,
    to: Number.POSITIVE_INFINITY,
  }),
  step: duration(1).optional(),
  services: servicesSchema,
  traffic: named(trafficSchema, 'traffic'),
  focus: text.optional(),
  expect: z.array(text, { error: "a list of conditions, as 'amplification <= 1.1'" }).default([]),
}).transform((given) => ({
  ...given,
  focus: given.focus,
  step: given.step ?? Math.max(FINEST_STEP_MS, Math.ceil(given.duration / STEPS)),
}));
