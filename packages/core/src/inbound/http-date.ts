const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/** The three forms of RFC 9110 section 5.6.7; case-sensitive and always UTC. */
const FORMS: readonly RegExp[] = [
  new RegExp(`^${SHORT_DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^${SHORT_DAY} ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * Reads an HTTP-date in any of its three forms. A platform's date parser would read the asctime form in local time
 * and take `120` for a year, so the instant is computed here.
 * @param wallMs the present, for the century of two-digit years
 * @returns ms since the epoch, or `undefined` when `text` is no HTTP-date
 */
export function parseHttpDate(text: string, wallMs: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return instantOf(parts, wallMs);
  }
  return undefined;
}

function instantOf(parts: Readonly<Record<string, string>>, wallMs: number): number | undefined {
  const month = MONTHS.indexOf(parts['month'] ?? '') + 1;
  const day = Number(parts['day']);
  const hour = Number(parts['hour']);
  const minute = Number(parts['minute']);
  const second = Number(parts['second']);
  const digits = parts['year'] ?? '';
  const year = digits.length === 2 ? fullYear(Number(digits), wallMs) : Number(digits);
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  // 60 is a leap second
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  return daysSinceEpoch(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** A two-digit year more than 50 years ahead is the most recent past year with those digits (RFC 9110). */
function fullYear(twoDigits: number, wallMs: number): number {
  const present = yearOf(wallMs);
  const year = present - (present % 100) + twoDigits;
  return year > present + 50 ? year - 100 : year;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. Years start in March, so that leap days come last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function yearOf(wallMs: number): number {
  const days = Math.floor(wallMs / DAY_MS);
  let year = 1970 + Math.floor(days / 365.2425);
  while (daysSinceEpoch(year, 1, 1) > days) year--;
  while (daysSinceEpoch(year + 1, 1, 1) <= days) year++;
  return year;
}
