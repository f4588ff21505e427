import { z } from 'zod';
import { parseDuration } from '../config/durations.js';
import { type ConfigIssue, configIssues } from '../config/issues.js';
import { custom, part, whileUsed } from '../config/schema-leaf.js';
import { configError } from '../config/validate.js';
import type {
  CallGraph,
  CheckInput,
  GraphCall,
  GraphService,
  StoreDeclaration,
  TrafficDeclaration,
} from './input.js';

const RATE = /^(\d{1,12}(?:\.\d{1,6})?)\/(s|min|h)$/;
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600 };

const time = (): z.ZodType =>
  custom((value) => (parseDuration(value) ?? 0) > 0, "a duration above 0, as 400 (ms), '400ms' or '2s'");
const count = (): z.ZodType =>
  custom(
    (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000,
    'a whole number from 1 to 1,000,000',
  );
const flag = (): z.ZodType => custom((value) => typeof value === 'boolean', 'true or false');
const name = (): z.ZodType<string> =>
  custom((value) => typeof value === 'string' && value !== '', 'a name') as z.ZodType<string>;
const owner = (): z.ZodType =>
  custom(
    (value) => value === 'here' || value === 'above' || value === 'ignore',
    "'here', 'above' or 'ignore'",
  );

const traffic = (): z.ZodType =>
  part<TrafficDeclaration>('', {
    rate: custom(
      (value) => ratePerSecond(value) !== undefined,
      "calls per second, or '10000/min', '5/s', '90/h'",
    ),
    p50: time(),
    p99: time(),
    instances: count(),
    meshAttempts: count(),
    failing: custom((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1'),
    spent: time(),
    methods: z.array(
      custom((value) => typeof value === 'string', 'an HTTP method'),
      { error: 'a list of HTTP methods' },
    ),
    keyed: flag(),
  });

const call = (): z.ZodType =>
  part<GraphCall>('', {
    attempts: count(),
    meshAttempts: count(),
    owner: owner(),
    spillway: flag(),
    timeout: time(),
    deadline: time(),
  });

const input = whileUsed(() =>
  part<CheckInput>('', {
    production: flag(),
    instances: count(),
    traffic: z.record(name(), traffic(), { error: 'an object of declarations by dependency' }),
    graph: part<CallGraph>(
      '',
      {
        services: z.record(
          name(),
          part<GraphService>('', {
            calls: z.record(name(), call(), { error: 'an object of calls by name' }),
          }),
          { error: 'an object of services by name' },
        ),
      },
      ['services'],
    ),
    stores: z.array(part<StoreDeclaration>('', { kind: name(), ttl: time(), horizon: time() }, ['kind']), {
      error: 'a list of stores',
    }),
  }),
);

/** Refuses a wrong declaration by path, value and allowed range, as options are. @throws ERR_CONFIG */
export function validateInput(declared: unknown): void {
  const result = input().safeParse(declared);
  const issues: ConfigIssue[] = result.success ? [] : configIssues(result.error.issues, declared);
  if (issues.length > 0) throw configError(issues);
}

/** Calls per second of a declared rate; `undefined` when it is none. */
export function ratePerSecond(rate: unknown): number | undefined {
  if (typeof rate === 'number') return Number.isFinite(rate) && rate > 0 ? rate : undefined;
  const [, amount, unit] = (typeof rate === 'string' && RATE.exec(rate)) || [];
  if (amount === undefined || unit === undefined || Number(amount) === 0) return undefined;
  return Number(amount) / (SECONDS[unit] ?? 1);
}

/** The unit a rate was declared in, for arithmetic in its own words: 10,000/min at 8 % is 800/min. */
export function rateUnit(rate: unknown): { readonly unit: string; readonly seconds: number } {
  const unit = (typeof rate === 'string' && RATE.exec(rate)?.[2]) || 's';
  return { unit, seconds: SECONDS[unit] ?? 1 };
}
