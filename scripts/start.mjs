// `npm start`: loads the sample catalogue if that is not done yet, and shows a first search by word and by meaning.
import { fileURLToPath } from 'node:url';
import { run } from '../dist/cli/run.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const database = 'sample.db';
const sources = ['data/sample/skills.jsonl', 'data/sample/languages.jsonl', 'data/sample/folders'];

const command = async (...words) => {
  const status = await run([...words, '--database', database], { out: process.stdout, error: process.stderr });
  if (status !== 0) process.exit(status);
};

console.log('Loading the sample catalogue (some of its folders are broken on purpose) …\n');
await command('load', ...sources, '--author', 'sample', '--codehost-base', 'https://code.example/sample');
console.log('\n$ npx skill-discovery search release notes --database sample.db\n');
await command('search', 'release', 'notes', '--limit', '3');
const question = 'tell our users what changed since the last version';
console.log(`\n$ npx skill-discovery search --mode semantic '${question}' --database sample.db\n`);
await command('search', '--mode', 'semantic', question, '--limit', '3');
console.log(`
Try your own words:
  npx skill-discovery search react testing --database sample.db
  npx skill-discovery search 会议纪要 --database sample.db
  npx skill-discovery search --mode semantic 'get numbers out of a scanned invoice' --database sample.db
  npx skill-discovery search sql --category sql-databases --sort stars --database sample.db`);
