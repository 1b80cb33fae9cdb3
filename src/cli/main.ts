#!/usr/bin/env node
import { run } from './run.js';

// A reader such as `head` closes the pipe when it has enough. That is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), { out: process.stdout, error: process.stderr });
