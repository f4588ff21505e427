import { tableName } from './table-name.js';

/**
 * The schema of the store, as SQL for your own migrations. Instants are `timestamptz` and read from
 * `clock_timestamp()`: neither a session's TimeZone nor the start of a long transaction shifts a lease (C-081).
 * @param table letters, digits and underscores
 */
export function postgresMigrationSql(table = 'spillway_idempotency'): string {
  const name = tableName(table);
  return `CREATE TABLE IF NOT EXISTS ${name} (
  key text PRIMARY KEY,
  state text NOT NULL,
  fingerprint text NOT NULL,
  token text NOT NULL,
  attempt integer NOT NULL,
  lease_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answer text,
  checkpoints jsonb
);
CREATE INDEX IF NOT EXISTS ${name}_expires_at ON ${name} (expires_at);
`;
}

export interface PostgresSql {
  readonly time: string;
  readonly begin: string;
  readonly renew: string;
  readonly complete: string;
  readonly release: string;
  readonly checkpoint: string;
  readonly sweep: string;
}

/** Milliseconds since the epoch. */
function epoch(instant: string): string {
  return `(extract(epoch FROM ${instant}) * 1000)::float8`;
}

/**
 * Inserts, or takes over an expired, released or lapsed record, or reads what is there, in one statement. $6 is the
 * latest instant at which the claim may take effect. No row: the record went, or came, while the statement ran, or
 * it ran too late; `late` tells which.
 */
function beginSql(table: string): string {
  const free = `(r.expires_at <= clock_timestamp() OR (r.fingerprint = $2 AND (r.state = 'retryable'
        OR (r.state = 'running' AND r.lease_until <= clock_timestamp()))))`;
  const intime = 'clock_timestamp() <= to_timestamp($6::float8 / 1000)';
  const fresh = (value: string, otherwise: string) =>
    `CASE WHEN r.expires_at <= clock_timestamp() THEN ${value} ELSE ${otherwise} END`;
  return `WITH claim AS (
  INSERT INTO ${table} AS r (key, state, fingerprint, token, attempt, lease_until, expires_at)
  SELECT $1, 'running', $2, $3, 1, clock_timestamp() + $4::float8 * interval '1 millisecond',
         clock_timestamp() + greatest($4::float8, $5::float8) * interval '1 millisecond'
  WHERE ${intime}
  ON CONFLICT (key) DO UPDATE SET state = 'running', fingerprint = $2, token = $3, answer = NULL,
    attempt = ${fresh('1', 'r.attempt + 1')}, checkpoints = ${fresh('NULL', 'r.checkpoints')},
    lease_until = clock_timestamp() + $4::float8 * interval '1 millisecond',
    expires_at = clock_timestamp() + greatest($4::float8, $5::float8) * interval '1 millisecond'
  WHERE ${free} AND ${intime}
  RETURNING 'claimed' AS state, fingerprint, attempt, lease_until, answer, checkpoints
), seen AS (
  SELECT * FROM claim
  UNION ALL
  SELECT state, fingerprint, attempt, lease_until, answer, checkpoints FROM ${table}
  WHERE key = $1 AND NOT EXISTS (SELECT 1 FROM claim) AND expires_at > clock_timestamp()
)
SELECT seen.*, ${epoch('seen.lease_until')} AS lease_ms, ${epoch('clock_timestamp()')} AS now_ms,
       NOT (${intime}) AS late
FROM (SELECT 1) AS one LEFT JOIN seen ON true`;
}

/** Every statement of the store, each one round trip. Parameters of the last four: key, token, then their own. */
export function postgresSql(table: string): PostgresSql {
  const name = tableName(table);
  const owned = "key = $1 AND token = $2 AND state = 'running' AND expires_at > clock_timestamp()";
  const later = "clock_timestamp() + $3::float8 * interval '1 millisecond'";
  return {
    time: `SELECT ${epoch('clock_timestamp()')} AS now_ms`,
    begin: beginSql(name),
    renew: `UPDATE ${name} SET lease_until = greatest(lease_until, ${later}),
      expires_at = greatest(expires_at, ${later}) WHERE ${owned}`,
    complete: `UPDATE ${name} SET state = 'completed', answer = $3 WHERE ${owned}`,
    release: `WITH gone AS (DELETE FROM ${name} WHERE ${owned} AND checkpoints IS NULL RETURNING 1),
      kept AS (UPDATE ${name} SET state = 'retryable', lease_until = clock_timestamp()
               WHERE ${owned} AND checkpoints IS NOT NULL RETURNING 1)
      SELECT 1 FROM gone UNION ALL SELECT 1 FROM kept`,
    checkpoint: `UPDATE ${name} SET checkpoints = coalesce(checkpoints, '{}') ||
      jsonb_build_object($3::text, $4::text) WHERE ${owned}`,
    sweep: `DELETE FROM ${name} WHERE key IN (SELECT key FROM ${name} WHERE expires_at <= clock_timestamp()
      ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  };
}
