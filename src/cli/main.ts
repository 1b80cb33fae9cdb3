#!/usr/bin/env node
import { run } from './run.js';
import { oneLine } from './terminal-text.js';

// A reader such as `head` closes the pipe when it has enough. That is no failure.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: the output cannot be written: ${oneLine(message)}\n`);
  process.exit(1);
});
// There is nowhere left to say it.
process.stderr.on('error', () => process.exit(1));

process.exitCode = await run(process.argv.slice(2), { out: process.stdout, error: process.stderr });
