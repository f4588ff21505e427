import { ofType, type Rule, strands } from './rule.js';

/** What begins ends exactly once; units are held by running work and nobody else, never more than there are. */
export const units: Rule = (played) => {
  const { options, pauses, end, mostWorks } = played;
  const breaches: string[] = [];
  for (const [id, strand] of strands(played)) {
    const numbers = (type: 'attempt.start' | 'attempt.end') =>
      ofType(strand, type).map(({ event }) => event.attempt);
    const started = numbers('attempt.start').join();
    if (started !== numbers('attempt.end').join()) breaches.push(`attempts of ${id} do not end once`);
    if (started !== [...new Set(started.split(','))].join()) breaches.push(`an attempt of ${id} began twice`);
    const ends = ofType(strand, 'operation.end').length;
    if (ends !== 1) breaches.push(`operation ${id} ended ${ends} times`);
  }
  const { bulkhead } = options;
  if (bulkhead === undefined) return breaches;
  const most = bulkhead.concurrent + (options.breaker === undefined ? 0 : 1);
  if (mostWorks > most) breaches.push(`${mostWorks} pieces of work at once, ${most} allowed`);
  for (const { at, works, letGo, snapshot } of [...pauses, end]) {
    const inUse = snapshot.dependencies[0]?.bulkhead?.inUse ?? 0;
    if (inUse > works) breaches.push(`${inUse} units in use at ${at} by ${works} pieces of work`);
    if (inUse < works - letGo) breaches.push(`${inUse} units at ${at} for ${works} less ${letGo}`);
    if (inUse > most) breaches.push(`${inUse} units in use at ${at}, ${most} allowed`);
  }
  return breaches;
};
