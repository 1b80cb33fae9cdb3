import { defineConfig } from 'vitest/config';
import { SETTINGS, SYSTEM } from './vitest.config.js';

// The command line is tested as npm publishes it: packed, and installed elsewhere.
export default defineConfig({
  test: {
    ...SETTINGS,
    include: [...SYSTEM],
    globalSetup: ['test/package/install.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
