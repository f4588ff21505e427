import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { describeServer } from '@spillway/testing/conformance';
import { createNamespace } from 'cls-hooked';
import Koa from 'koa';
import { koaAdapter } from './support/adapter.js';

const carriers = {
  'an AsyncLocalStorage': asyncLocal,
  'a namespace of cls-hooked': () => clsHooked(createNamespace('application')),
};

describeServer(koaAdapter('Koa 3', Koa), { carriers });
