import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { CONTRIB } from '../support/contrib.js';
import { PROMTOOL } from './prometheus-server.js';

function promtool(...parameters: readonly string[]): string {
  return execFileSync(PROMTOOL, parameters, { cwd: `${CONTRIB}prometheus`, encoding: 'utf8' });
}

describe('the alerts in contrib', () => {
  test('are rules that Prometheus takes', () => {
    expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS: 8 rules found');
  });

  test('fire on recorded series when they should, and only then', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });
});
