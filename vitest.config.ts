import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests with processes, PostgreSQL, Chromium, the packed package or the real model: `npm run test:system`. */
export const SYSTEM: readonly string[] = [
  'test/**/*.system.test.ts',
  'test/{chromium,examples,package,torture}/**/*.test.ts',
];

export const SETTINGS = {
  // Servers that are tested listen at local sockets, and not in the folder of whoever runs the tests.
  env: { XDG_RUNTIME_DIR: join(tmpdir(), 'skill-discovery-tests') },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  test: { ...SETTINGS, include: ['test/**/*.test.ts'], exclude: [...SYSTEM] },
});
