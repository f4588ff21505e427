import { type ConfigIssue, valueWords } from './issues.js';
import { valueAt } from './merge.js';
import { NAME_WORDS } from './schema.js';

/** What no single option can show: values that cannot stand beside each other, and names that hide. */
export function crossIssues(config: unknown): ConfigIssue[] {
  return [...limitOrder(config), ...sharesSum(config), ...hiddenName(config)];
}

/** min <= initial <= max, as far as they are written. */
function limitOrder(config: unknown): ConfigIssue[] {
  const path = 'inbound.concurrency.limit';
  const limit = valueAt(config, path);
  const written = ['min', 'initial', 'max'].flatMap((name) => {
    const value = valueAt(limit, name);
    return typeof value === 'number' && value > 0 ? [{ name, value }] : [];
  });
  const issues: ConfigIssue[] = [];
  for (const [i, low] of written.entries()) {
    const high = written[i + 1];
    if (high === undefined || low.value <= high.value) continue;
    const where = `${path}.${low.name}`;
    const allowed = `no more than ${path}.${high.name}, ${high.value}`;
    issues.push({
      path: where,
      value: String(low.value),
      allowed,
      message: `${where} is ${low.value}. Give ${allowed}.`,
    });
  }
  return issues;
}

/** Guaranteed shares of more than everything cannot be guaranteed. */
function sharesSum(config: unknown): ConfigIssue[] {
  const path = 'inbound.concurrency.shares';
  const shares = valueAt(config, path);
  if (typeof shares !== 'object' || shares === null) return [];
  const numbers = Object.values(shares).filter((share) => typeof share === 'number');
  const sum = Math.round(numbers.reduce((total, share) => total + share, 0) * 1e9) / 1e9;
  if (!(sum > 1)) return [];
  const allowed = 'shares that add up to 1 at most';
  const value = `${numbers.join(' + ')} = ${sum}`;
  return [{ path, value, allowed, message: `${path} adds up to ${value}. Give ${allowed}.` }];
}

/** JSON can hold a key of this name, and objects hide it. */
function hiddenName(config: unknown): ConfigIssue[] {
  const dependencies = valueAt(config, 'dependencies');
  if (typeof dependencies !== 'object' || dependencies === null) return [];
  if (!Object.hasOwn(dependencies, '__proto__')) return [];
  const path = 'dependencies.__proto__';
  const value = valueWords('__proto__');
  return [{ path, value, allowed: NAME_WORDS, message: `${path}: ${value} is no name. Give ${NAME_WORDS}.` }];
}
