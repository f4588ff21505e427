import { DEPENDENCY_OPTIONS, type OptionRow, ROOT_OPTIONS } from '@spillway/core/options';

/** A JSON schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const DURATION_TEXT = { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,15})?(ms|s|m|h|d)$' };
const FALSE = { const: false };

/** What may stand in place of the group of options that a row names, where its range is words. */
const BESIDE: Readonly<Record<string, readonly JsonSchema[]>> = {
  'breaker.window': [durationSchema(1, 31_536_000_000)],
  'breaker.probes': [{ type: 'integer', minimum: 1, maximum: 1000 }],
  'breaker.whenOpen': [{ const: 'refuse' }],
  'inbound.concurrency': [{ type: 'integer', minimum: 1, maximum: 1_000_000 }],
  'inbound.concurrency.limit': [{ type: 'integer', minimum: 1, maximum: 1_000_000 }],
};

/** Options that are no group and whose range is words. */
const ALONE: Readonly<Record<string, JsonSchema>> = {
  baseUrl: { type: 'string', format: 'uri', pattern: '^https?://' },
  client: { type: 'object' },
  'retry.budget.key': { type: 'boolean' },
  'check.ignore': {
    type: 'array',
    items: {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^SW\\d{3}$' }, reason: { type: 'string', minLength: 1 } },
      required: ['id', 'reason'],
      additionalProperties: false,
    },
  },
  'inbound.deadline.headers': {
    type: 'array',
    items: {
      type: 'object',
      properties: { header: { type: 'string' }, unit: { enum: ['ms', 's'] } },
      required: ['header', 'unit'],
      additionalProperties: false,
    },
  },
  'inbound.concurrency.shares': {
    type: 'object',
    properties: Object.fromEntries(
      ['critical_plus', 'critical', 'sheddable_plus', 'sheddable'].map((name) => [
        name,
        { type: 'number', minimum: 0, maximum: 1 },
      ]),
    ),
    additionalProperties: false,
  },
  'inbound.trust': { type: 'array', items: { type: 'string' } },
};

/** In one file with the options, for the checker alone. */
const DECLARED: JsonSchema = {
  type: 'object',
  description: 'What surrounds the service, for `spillway check`: traffic, instances, call graph, stores.',
};

/** The schema of a JSON configuration, out of the same table that validates it: editors complete and check by it. */
export function configSchema(): JsonSchema {
  const dependency = groupSchema(DEPENDENCY_OPTIONS, '');
  const { baseUrl, fallback, ...shared } = dependency['properties'] as Record<string, JsonSchema>;
  const root = groupSchema(
    ROOT_OPTIONS.filter(({ path }) => path !== 'defaults' && path !== 'dependencies'),
    '',
  );
  const rows = new Map(ROOT_OPTIONS.map((row) => [row.path, row]));
  const properties = {
    $schema: { type: 'string' },
    ...(root['properties'] as object),
    defaults: {
      type: 'object',
      description: rows.get('defaults')?.doc,
      properties: shared,
      additionalProperties: false,
    },
    dependencies: {
      type: 'object',
      description: rows.get('dependencies')?.doc,
      additionalProperties: dependency,
    },
    declared: DECLARED,
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Spillway configuration',
    type: 'object',
    properties,
    additionalProperties: false,
  };
}

/** The options directly under `prefix`, each with those under it. Functions have no place in JSON. */
function groupSchema(rows: readonly OptionRow[], prefix: string): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const row of rows) {
    const name = prefix === '' ? row.path : row.path.slice(prefix.length + 1);
    if (!row.path.startsWith(prefix === '' ? '' : `${prefix}.`) || name.includes('.') || name === '')
      continue;
    const schema = rowSchema(row, rows);
    if (schema !== undefined) properties[name] = described(schema, row);
  }
  return { type: 'object', properties, additionalProperties: false };
}

function rowSchema(row: OptionRow, rows: readonly OptionRow[]): JsonSchema | undefined {
  const { path, range } = row;
  switch (range.type) {
    case 'duration':
      return any(durationSchema(range.min, range.max), range.orFalse);
    case 'integer':
    case 'number': {
      const least = range.above ? { exclusiveMinimum: range.min } : { minimum: range.min };
      return any({ type: range.type, ...least, maximum: range.max }, range.orFalse);
    }
    case 'choice':
      return { enum: range.of };
    case 'boolean':
      return { type: 'boolean' };
    case 'text':
      return { type: 'string', minLength: 1, maxLength: range.longest };
    case 'statuses':
      return { type: 'array', items: { type: 'integer', minimum: 100, maximum: 599 } };
    case 'function':
      return undefined;
    case 'shape':
      return ALONE[path] ?? shapeSchema(path, range.allowed, rows);
  }
}

function shapeSchema(path: string, allowed: string, rows: readonly OptionRow[]): JsonSchema | undefined {
  const hasChildren = rows.some((other) => other.path.startsWith(`${path}.`));
  if (!hasChildren && BESIDE[path] === undefined) return undefined;
  const group = hasChildren ? [groupSchema(rows, path)] : [];
  const shapes = [...(BESIDE[path] ?? []), ...group, ...(/or false$/.test(allowed) ? [FALSE] : [])];
  const [only] = shapes;
  return shapes.length === 1 ? only : { anyOf: shapes };
}

function durationSchema(minimum: number, maximum: number): JsonSchema {
  return { anyOf: [{ type: 'number', minimum, maximum }, DURATION_TEXT] };
}

function any(schema: JsonSchema, orFalse: boolean): JsonSchema {
  return orFalse ? { anyOf: [schema, FALSE] } : schema;
}

function described(schema: JsonSchema, row: OptionRow): JsonSchema {
  const { doc } = row;
  const hasDefault = row.default !== undefined && row.defaultWords === undefined;
  return { description: doc, ...(hasDefault ? { default: row.default } : {}), ...schema };
}
