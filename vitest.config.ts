import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They have a configuration of their own.
    exclude: ['test/package/**'],
    // Servers that are tested listen at local sockets, and not in the folder of whoever runs the tests.
    env: { XDG_RUNTIME_DIR: join(tmpdir(), 'skill-discovery-tests') },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
