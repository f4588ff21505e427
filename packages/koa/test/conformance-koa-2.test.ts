import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { describeServer } from '@spillway/testing/conformance';
import { createNamespace } from 'cls-hooked';
import type Koa from 'koa';
import Koa2 from 'koa2';
import { koaAdapter } from './support/adapter.js';

const carriers = {
  'an AsyncLocalStorage': asyncLocal,
  'a namespace of cls-hooked': () => clsHooked(createNamespace('application')),
};

// the types of Koa 3 describe what the suite uses of 2 too
describeServer(koaAdapter('Koa 2', Koa2 as unknown as typeof Koa), { carriers });
