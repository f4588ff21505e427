import type { InjectedAnswer, Transport } from '@spillway/core';

/** A network on which every request ends as an injected fault says. */
export function pretended(answer: InjectedAnswer): Transport {
  return () => {
    if ('status' in answer) return { status: answer.status };
    if ('error' in answer) throw answer.error;
    const { code } = answer;
    throw Object.assign(new Error(`injected ${code}`), { code });
  };
}
