import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { describeServer } from '@spillway/testing/conformance';
import { createNamespace } from 'cls-hooked';
import type express from 'express';
import express4 from 'express4';
import { expressAdapter } from './support/adapter.js';

const carriers = {
  'an AsyncLocalStorage': asyncLocal,
  'a namespace of cls-hooked': () => clsHooked(createNamespace('application')),
};

// the types of Express 5 describe what the suite uses of 4 too
describeServer(expressAdapter('Express 4', express4 as unknown as typeof express), { carriers });
