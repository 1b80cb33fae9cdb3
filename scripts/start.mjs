// `npm start`: loads the sample catalogue if that is not done yet, and serves it with a key and commands to try. What
// follows `npm start --` goes to `skill-discovery serve`: `npm start -- --port 9000`.
import { fileURLToPath } from 'node:url';
import { run } from '../dist/cli/run.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const database = 'sample.db';
const sources = ['data/sample/skills.jsonl', 'data/sample/languages.jsonl', 'data/sample/folders'];

const command = async (...words) => {
  const [name, ...others] = words;
  const status = await run([name, '--database', database, ...others], { out: process.stdout, error: process.stderr });
  if (status !== 0) process.exit(status);
};

console.log('Loading the sample catalogue (some of its folders are broken on purpose) …\n');
await command('load', ...sources, '--author', 'sample', '--codehost-base', 'https://code.example/sample');
console.log();
await command('serve', '--demo', '--state', 'sample-access.db', ...process.argv.slice(2));
