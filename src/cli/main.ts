#!/usr/bin/env node
import { keepCompiled } from './kept-code.js';

keepCompiled();
const words = process.argv.slice(2);
// A host waits for this command at every prompt, so it loads nothing of the others, and it never fails.
const isHook = words[0] === 'hook' && !words.some((word) => word === '--help' || word === '-h');

// A reader such as `head` closes the pipe when it has enough. That is no failure.
process.stdout.on('error', async ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isHook) process.exit(0);
  const { oneLine } = await import('./output.js');
  process.stderr.write(`error: the output cannot be written: ${oneLine(message)}\n`);
  process.exit(1);
});
// There is nowhere left to say it.
process.stderr.on('error', () => process.exit(1));

// The build makes this a CommonJS file, which cannot wait at its top.
void (isHook ? answerPrompt() : runCommand());

async function answerPrompt(): Promise<void> {
  // What nobody has caught: a host would see a failure.
  process.on('uncaughtException', () => process.exit(0));
  const { runHook } = await import('../agents/hook/run-hook.js');
  await runHook(words.slice(1), { input: process.stdin, output: process.stdout });
  // A host need not close the input, and the model need not be unloaded.
  process.exit(0);
}

async function runCommand(): Promise<void> {
  const { run } = await import('./run.js');
  process.exitCode = await run(words, { out: process.stdout, error: process.stderr });
}
