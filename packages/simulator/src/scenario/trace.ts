import { issueAt, scenarioError } from './issues.js';

const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** [10/Oct/2000:13:55:36.123 -0700] */
const COMMON_LOG =
  /\[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?) ([+-])(\d{2})(\d{2})\]/;
/** 2026-01-31T13:55:36.123Z, an offset in place of Z, or none for UTC */
const ISO = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)(?:Z|([+-])(\d{2}):?(\d{2}))?$/;
/** Larger bare numbers are ms since the epoch, smaller ones from ten digits on seconds. */
const EPOCH_MS_FROM = 100_000_000_000;
const EPOCH_S_FROM = 1_000_000_000;

/**
 * Instants of a recording, ms from its first one, in order: the lines of an access log (common log format), or the
 * first column of a CSV file (ms or seconds since the epoch, ms from the start, or ISO 8601), its heading skipped.
 * @throws ERR_CONFIG when a line holds no instant
 */
export function parseTrace(text: string, path: string): readonly number[] {
  const times: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = instantOf(line);
    if (at !== undefined) times.push(at);
    else if (index > 0) throw scenarioError([badLine(path, index + 1, line)]);
  }
  if (times.length === 0) throw scenarioError([badLine(path, 1, '')]);
  times.sort((a, b) => a - b);
  const [start = 0] = times;
  return times.map((at) => at - start);
}

function badLine(path: string, line: number, text: string) {
  const allowed = 'lines of an access log, or a CSV file whose first column is an instant';
  return issueAt([`${path}:${line}`], text, allowed);
}

function instantOf(line: string): number | undefined {
  const log = COMMON_LOG.exec(line);
  if (log !== null) return fromCommonLog(log);
  const field = (line.split(/[,;\t]/, 1)[0] ?? '').trim().replace(/^"(.*)"$/, '$1');
  if (/^\d+(?:\.\d+)?$/.test(field)) return fromNumber(Number(field));
  const iso = ISO.exec(field);
  return iso === null ? undefined : fromIso(iso);
}

function fromNumber(value: number): number {
  return value >= EPOCH_S_FROM && value < EPOCH_MS_FROM ? value * 1000 : value;
}

function fromCommonLog([, day, month = '', year, h, m, s, sign, oh, om]: RegExpExecArray):
  | number
  | undefined {
  const index = MONTHS.indexOf(month);
  if (index < 0) return undefined;
  return instant([Number(year), index + 1, Number(day)], [h, m, s], [sign, oh, om]);
}

function fromIso([, year, month, day, h, m, s, sign, oh, om]: RegExpExecArray): number {
  return instant([Number(year), Number(month), Number(day)], [h, m, s], [sign, oh, om]);
}

type Text = string | undefined;

function instant(
  [year, month, day]: readonly [number, number, number],
  [h, m, s]: readonly [Text, Text, Text],
  [sign, oh, om]: readonly [Text, Text, Text],
): number {
  const minutes = (Number(oh ?? 0) * 60 + Number(om ?? 0)) * (sign === '-' ? -1 : 1);
  const seconds = (Number(h) * 60 + Number(m) - minutes) * 60;
  return daysFromCivil(year, month, day) * DAY_MS + seconds * 1000 + Math.round(Number(s) * 1000);
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
