// `npm start`: loads the sample catalogue, unless it is loaded already, and serves it. Prints an API key and commands
// to try. Arguments after `npm start --` go to `skill-discovery serve`: `npm start -- --port 9000`.
import { fileURLToPath } from 'node:url';
import { run } from '../dist/cli/run.js';
import { SAMPLE_CATALOGUE } from './sample-catalogue.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const database = 'sample.db';

const runCommand = async (name, ...others) => {
  const status = await run([name, '--database', database, ...others], { out: process.stdout, error: process.stderr });
  if (status !== 0) process.exit(status);
};

console.log('Loading the sample catalogue (some of its folders are broken on purpose) …\n');
await runCommand('load', '--classify', ...SAMPLE_CATALOGUE);
console.log();
await runCommand('serve', '--demo', '--state', 'sample-access.db', ...process.argv.slice(2));
