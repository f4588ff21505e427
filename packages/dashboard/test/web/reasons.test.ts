import { describe, expect, test } from '@jest/globals';
import { ERROR_CATALOGUE, STOP_REASONS } from '@spillway/core';
import { helpTexts } from '../../src/web/help.js';
import { REASONS } from '../../src/web/reasons.js';
import { reasonsPage } from '../../src/web/reasons-page.js';

const page = reasonsPage();

describe('the page of reasons', () => {
  test('has a place for every code, every stop, and every refusal of the gate', () => {
    const ids = [
      ...Object.keys(ERROR_CATALOGUE),
      ...STOP_REASONS.map((reason) => `stopped-${reason}`),
      ...['limit', 'queue', 'deadline', 'codel', 'draining', 'expired'].map((reason) => `gate-${reason}`),
    ];
    expect(REASONS.map(({ id }) => id).sort()).toEqual(ids.sort());
    for (const id of ids) expect(page).toContain(`<section id="${id}"`);
  });

  test('says of each of them what it means', () => {
    for (const { meaning } of REASONS) expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(page).toContain('Answered with status 503.');
    expect(page).not.toContain('undefined');
  });

  test('holds no script', () => {
    expect(page).not.toMatch(/<script|<style| style=| on\w+=/);
  });
});

test('every figure of the page has its line of help', async () => {
  const { readFileSync } = await import('node:fs');
  const texts = helpTexts();
  const named = ['dependency-row', 'inbound', 'shares'].flatMap((file) => {
    const source = readFileSync(new URL(`../../page/${file}.js`, import.meta.url), 'utf8');
    return [...source.matchAll(/(?:figure|gauge|reasons|helped)\('(\w+)'/g)].map(
      ([, name]) => name as string,
    );
  });
  expect(named.length).toBeGreaterThan(14);
  for (const name of named) expect([name, texts[name]]).toEqual([name, expect.stringMatching(/\w{3,}.*\.$/)]);
});
