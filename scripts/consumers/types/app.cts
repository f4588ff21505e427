import express = require('express');
import core = require('@spillway/core');
import adapter = require('@spillway/express');
import testing = require('@spillway/testing');
import preset = require('@spillway/testing/jest-preset');

const spillway = core.createSpillway({ dependencies: { quotes: { baseUrl: 'http://quotes.internal' } } });
const app = express();
app.use(adapter.expressSpillway(spillway));

const ignored: readonly string[] = preset.transformIgnorePatterns;
const inside: Promise<number> = testing.withForcedOpen(spillway, 'quotes', () => ignored.length);
export = { app, inside };
