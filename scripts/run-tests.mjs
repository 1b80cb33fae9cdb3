// Runs the tests that a contributor waits for, and tells their processor time. In CI more than a tenth above the bound
// is a failure: a slow suite is not run.
//
//     node scripts/run-tests.mjs [ARGUMENT...]      arguments of vitest
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Seconds of processor time of all tests together. */
const BOUND = 360;

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const words = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [vitest, 'run', ...words], { stdio: 'inherit' });
process.exitCode = status ?? 1;
const seconds = secondsOfChildren();
// Who names files runs a part.
if (seconds !== undefined && !words.some((word) => !word.startsWith('-'))) {
  console.error(`processor time: ${Math.round(seconds)} s of at most ${BOUND} s`);
  if (process.env.CI && seconds > BOUND * 1.1) {
    console.error('the tests take too much processor time: move what needs processes to *.system.test.ts');
    process.exitCode = 1;
  }
}

/** Processor time of the processes that this one has waited for, and of theirs, as Linux tells it. */
function secondsOfChildren() {
  if (!existsSync('/proc/self/stat')) return undefined;
  // The name of the program, in brackets, may have blanks. Times are in hundredths.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
