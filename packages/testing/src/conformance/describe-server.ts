import { afterEach, describe } from '@jest/globals';
import type { ServerAdapter } from './adapter.js';
import type { Way } from './ask.js';
import { type Carriers, describeContexts } from './contexts.js';
import { describeDeadlines } from './deadlines.js';
import { describeDisconnects } from './disconnects.js';
import { describeDepartures, describeEndings } from './endings.js';
import { describeErrors } from './errors.js';
import { describeFallbacks } from './fallbacks.js';
import { describeGate } from './gate.js';
import { describeGuard } from './guard.js';
import { describeHealth, describeManyEndings } from './many-endings.js';
import { Scene } from './scene.js';
import { describeStreams } from './streams.js';

const WAYS: readonly Way[] = ['sockets', 'supertest'];

export interface SuiteOptions {
  /** Ambient contexts with which the context tests run. Default none: what they need is opt-in. */
  readonly carriers?: Carriers;
}

/**
 * The conformance suite: what a guarded server does, whatever its framework. Runs over real sockets, and what is
 * question and answer through supertest too. For test files; needs jest and supertest.
 * @example describeServer(expressAdapter);
 */
export function describeServer(adapter: ServerAdapter, { carriers = {} }: SuiteOptions = {}): void {
  describe(adapter.name, () => {
    for (const way of WAYS) {
      describe(`asked over ${way}`, () => {
        const asked = new Scene(adapter, way);
        afterEach(() => asked.close());
        describeDeadlines(asked);
        describeEndings(asked);
        describeErrors(asked);
        describeGate(asked);
        describeFallbacks(asked);
      });
    }
    const scene = new Scene(adapter, 'sockets');
    afterEach(() => scene.close());
    describeDepartures(scene);
    describeDisconnects(scene);
    describeStreams(scene);
    describeManyEndings(scene);
    describeHealth(scene);
    describe('behind guardServer', () => {
      const guarded = new Scene(adapter, 'sockets', true);
      afterEach(() => guarded.close());
      describeGuard(guarded);
      describeDeadlines(guarded);
      describeGate(guarded);
      describeDepartures(guarded);
      describeDisconnects(guarded);
    });
    if (Object.keys(carriers).length > 0) describeContexts(scene, carriers);
  });
}
