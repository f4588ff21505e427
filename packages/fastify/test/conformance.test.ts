import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { describeServer } from '@spillway/testing/conformance';
import { createNamespace } from 'cls-hooked';
import { fastifyAdapter } from './support/adapter.js';

describeServer(fastifyAdapter, {
  carriers: {
    'an AsyncLocalStorage': asyncLocal,
    'a namespace of cls-hooked': () => clsHooked(createNamespace('application')),
  },
});
