import type { Targets } from '../processes/messages.js';

/** Where everything listens, and what to do with it. */
export function addresses(quotes: string, { spillway, plain }: Targets): string {
  return [
    `with Spillway  ${spillway}/price/ACME`,
    `its dashboard  ${spillway}/dashboard/`,
    `its metrics    ${spillway}/metrics`,
    `plain got      ${plain}/price/ACME`,
    `quotes         ${quotes}`,
  ].join('\n');
}

export function tryIt(quotes: string, { spillway }: Targets): string {
  return [
    'Take quotes down, ask three times, and bring it back (POST /up):',
    `  curl -X POST ${quotes}/down; for i in 1 2 3; do curl -i ${spillway}/price/ACME; done`,
    'Ctrl-C ends everything.',
  ].join('\n');
}
