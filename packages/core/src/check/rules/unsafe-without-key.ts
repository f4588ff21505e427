import { dependencyRule, type Rule } from '../rule.js';

const UNSAFE = new Set(['POST', 'PATCH', 'CONNECT']);

export const unsafeWithoutKey: Rule = dependencyRule(
  {
    id: 'SW204',
    severity: 'warning',
    title: 'Retries on unsafe methods without a key',
    why: 'After a timeout nobody knows whether a POST took effect. Spillway does not repeat it without an idempotency key; a mesh, a gateway or the caller above may, and then the effect happens twice.',
  },
  ({ worst, traffic }) => {
    const { declared, meshAttempts } = traffic;
    const unsafe = (declared.methods ?? []).filter((method) => UNSAFE.has(method.toUpperCase()));
    if (unsafe.length === 0 || declared.keyed === true) return undefined;
    if (worst.attempts * meshAttempts < 2) return undefined;
    const who =
      meshAttempts > 1
        ? `the mesh repeats it up to ${meshAttempts} times`
        : 'retries stop when it may have been received';
    return {
      option: 'retry.attempts',
      message: `${unsafe.join(' and ')} goes out without an idempotency key: ${who}, and a repetition takes effect twice.`,
      fix: 'Send these requests with idempotencyKey, and have the dependency honour it.',
    };
  },
);
