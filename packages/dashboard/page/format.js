const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hour12: false });

export const NOTHING = '–';

export function rate(value) {
  if (value === null || value === undefined) return NOTHING;
  return value >= 100 ? whole.format(value) : tenths.format(value);
}

export function count(value) {
  return whole.format(value);
}

export function milliseconds(value) {
  if (value === null || value === undefined) return NOTHING;
  if (value >= 10_000) return `${whole.format(value / 1000)} s`;
  if (value >= 1000) return `${tenths.format(value / 1000)} s`;
  return value >= 10 ? `${whole.format(value)} ms` : `${tenths.format(value)} ms`;
}

/** Time left, to the second: it is told once a tick. */
export function seconds(ms) {
  const left = Math.max(0, Math.ceil(ms / 1000));
  return left >= 120 ? `${Math.round(left / 60)} min` : `${left} s`;
}

export function times(value) {
  return value === null ? NOTHING : `×${value.toFixed(2)}`;
}

/** Never 100 % when something is missing, nor 0 % when something is there. */
export function percent(part, all) {
  if (all === 0) return NOTHING;
  const share = (part / all) * 100;
  if (share > 99.9 && part < all) return '99.9 %';
  if (share < 0.1 && part > 0) return '< 0.1 %';
  return `${tenths.format(share)} %`;
}

export function time(wall) {
  return clock.format(wall);
}
