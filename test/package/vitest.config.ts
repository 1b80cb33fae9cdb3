import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests of the package as npm publishes it, installed elsewhere. Installing it takes minutes, and the network.
export default defineConfig({
  test: {
    root: join(fileURLToPath(import.meta.url), '..', '..', '..'),
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/install.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
