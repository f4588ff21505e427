import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Measures variants in turns: each round asks every variant once, each in a new process, so that neither compiled code
 * nor heaps of one tell on another, and a change of the machine's mood falls on all.
 * @param file runs one variant, named by its argument, and sends what it measured
 * @returns for each variant what each round gave
 */
export async function rounds({ file, variants, count, execArgv = [] }) {
  const measured = Object.fromEntries(variants.map((name) => [name, []]));
  for (let round = 0; round < count; round++) {
    const order = round % 2 === 0 ? variants : [...variants].reverse();
    for (const name of order) measured[name].push(await measureOnce(file, name, execArgv));
    process.stderr.write(`\r${file.pathname.split('/').at(-1)}: round ${round + 1} of ${count}`);
  }
  process.stderr.write('\n');
  return measured;
}

async function measureOnce(file, name, execArgv) {
  const child = fork(file, [name], { execArgv, env: { ...process.env, NODE_ENV: 'production' } });
  const ended = once(child, 'exit');
  const answer = await Promise.race([
    once(child, 'message').then(([value]) => value),
    ended.then(() => undefined),
  ]);
  if (answer === undefined) throw new Error(`${file.pathname} ${name} ended without an answer`);
  child.disconnect();
  await ended;
  return answer;
}
