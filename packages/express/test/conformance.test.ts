import { asyncLocal } from '@spillway/core/async-local';
import { clsHooked } from '@spillway/core/cls-hooked';
import { describeServer } from '@spillway/testing/conformance';
import { createNamespace } from 'cls-hooked';
import express from 'express';
import { expressAdapter } from './support/adapter.js';

const carriers = {
  'an AsyncLocalStorage': asyncLocal,
  'a namespace of cls-hooked': () => clsHooked(createNamespace('application')),
};

describeServer(expressAdapter('Express 5', express), { carriers });
