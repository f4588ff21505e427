import { z } from 'zod';
import type { Criticality } from '../telemetry/events.js';
import { custom, isFalse, isFunction, oneOf, option, part } from './schema-leaf.js';
import { parseCidr } from './trust.js';
import type {
  InboundConcurrencyConfig,
  InboundConfig,
  InboundDeadlineConfig,
  LimitConfigAimd,
  LimitConfigGradient,
  LimitConfigLoop,
  LimitConfigVegas,
} from './types.js';

const LIMIT = 'inbound.concurrency.limit';
const QUEUE = 'inbound.concurrency.queue';

/** A header name (RFC 9110 token). */
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,100}$/;

const alias = (): z.ZodType =>
  part<{ header: string; unit: 'ms' | 's' }>(
    'inbound.deadline.headers',
    {
      header: custom((name) => typeof name === 'string' && TOKEN.test(name), 'the name of a header'),
      unit: custom((unit) => unit === 'ms' || unit === 's', "'ms' or 's'"),
    },
    ['header', 'unit'],
  );

const deadline = (): z.ZodType =>
  part<InboundDeadlineConfig>('inbound.deadline', {
    default: option('inbound.deadline.default'),
    max: option('inbound.deadline.max'),
    margin: option('inbound.deadline.margin'),
    headers: z.array(alias(), { error: "a list of { header: 'x-time-left', unit: 'ms' or 's' }" }),
    onMalformed: option('inbound.deadline.onMalformed'),
    covers: option('inbound.deadline.covers'),
    mode: option('inbound.deadline.mode'),
  });

const kind = (name: string): z.ZodType => custom((value) => value === name, `'${name}'`);
const bounds = (): { readonly min: z.ZodType; readonly max: z.ZodType } => ({
  min: option(`${LIMIT}.min`),
  max: option(`${LIMIT}.max`),
});
const initial = (): z.ZodType => option(`${LIMIT}.initial`);
const smoothing = (): z.ZodType => option(`${LIMIT}.smoothing`);

const loop = (): z.ZodType =>
  part<LimitConfigLoop>(LIMIT, { kind: kind('loop'), turn: option(`${LIMIT}.turn`), ...bounds() }, ['kind']);
const aimd = (): z.ZodType =>
  part<LimitConfigAimd>(
    LIMIT,
    {
      kind: kind('aimd'),
      initial: initial(),
      ...bounds(),
      backoffRatio: option(`${LIMIT}.backoffRatio`),
      timeout: option(`${LIMIT}.timeout`),
    },
    ['kind'],
  );
const vegas = (): z.ZodType =>
  part<LimitConfigVegas>(
    LIMIT,
    { kind: kind('vegas'), initial: initial(), ...bounds(), smoothing: smoothing() },
    ['kind'],
  );
const gradient = (): z.ZodType =>
  part<LimitConfigGradient>(
    LIMIT,
    {
      kind: kind('gradient'),
      initial: initial(),
      ...bounds(),
      smoothing: smoothing(),
      tolerance: option(`${LIMIT}.tolerance`),
    },
    ['kind'],
  );

const queue = (): z.ZodType =>
  part<NonNullable<InboundConcurrencyConfig['queue']>>(QUEUE, {
    size: option(`${QUEUE}.size`),
    order: option(`${QUEUE}.order`),
    wait: option(`${QUEUE}.wait`),
  });

const share = (): z.ZodType =>
  custom((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1');
const shares = (): z.ZodType =>
  part<Record<Criticality, number>>('inbound.concurrency.shares', {
    critical_plus: share(),
    critical: share(),
    sheddable_plus: share(),
    sheddable: share(),
  });

const concurrency = (): z.ZodType =>
  part<InboundConcurrencyConfig>('inbound.concurrency', {
    limit: oneOf(LIMIT, option('bulkhead.concurrent'), loop(), aimd(), vegas(), gradient()),
    queue: queue(),
    shares: shares(),
    mode: option('inbound.concurrency.mode'),
  });

const cidr = (): z.ZodType =>
  custom(
    (entry) => parseCidr(entry) !== undefined,
    "an address or CIDR, as '10.0.0.0/8', '192.168.1.7' or 'fd00::/8'",
  );

/** The options of `inbound`. */
export function inboundSchema(): z.ZodType {
  return part<InboundConfig>('inbound', {
    deadline: deadline(),
    concurrency: oneOf('inbound.concurrency', isFalse, option('bulkhead.concurrent'), concurrency()),
    trust: oneOf('inbound.trust', isFunction, z.array(cidr())),
    onDisconnect: option('inbound.onDisconnect'),
    detachAfter: option('inbound.detachAfter'),
  });
}
