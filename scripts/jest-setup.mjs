// A test that asserts nothing proves nothing: it fails.
import { beforeEach, expect } from '@jest/globals';

beforeEach(() => {
  expect.hasAssertions();
});
