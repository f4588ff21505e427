import { z } from 'zod';
import { dependencySchemas } from './schema-dependency.js';
import { inboundSchema } from './schema-inbound.js';
import { custom, option, part, whileUsed } from './schema-leaf.js';
import type { CheckConfig, IdempotencyConfig, SpillwayConfig } from './types.js';

/** Names end up in headers (`X-Degraded`), labels and messages. */
const DEPENDENCY_NAME = /^[A-Za-z0-9][\w.:@/-]{0,99}$/;
export const NAME_WORDS: string =
  'a name of 1 to 100 letters, digits and . _ : @ / -, the first a letter or digit';

const ignored = (): z.ZodType =>
  part<{ id: string; reason: string }>(
    'check.ignore',
    {
      id: custom((id) => typeof id === 'string' && /^SW\d{3}$/.test(id), "the id of a finding, as 'SW101'"),
      reason: custom(
        (reason) => typeof reason === 'string' && reason.trim() !== '',
        'a text that says why this is meant',
      ),
    },
    ['id', 'reason'],
  );

const dependencyName = (): z.ZodType<string> =>
  custom((name) => typeof name === 'string' && DEPENDENCY_NAME.test(name), NAME_WORDS) as z.ZodType<string>;

/** A whole configuration. */
export const configSchema: () => z.ZodType = whileUsed(() => {
  const { defaults, dependency } = dependencySchemas();
  return part<SpillwayConfig>('', {
    service: option('service'),
    inbound: inboundSchema(),
    defaults,
    dependencies: z.record(dependencyName(), dependency, { error: 'an object of dependencies by name' }),
    idempotency: part<IdempotencyConfig>('idempotency', { secret: option('idempotency.secret') }),
    check: part<CheckConfig>('check', {
      ignore: z.array(ignored(), { error: "a list of { id: 'SW101', reason: 'why this is meant' }" }),
    }),
    strict: option('strict'),
    faults: option('faults'),
  });
});
