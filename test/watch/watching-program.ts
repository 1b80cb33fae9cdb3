/**
 * A program that watches a folder until it is killed, and tells what happens, a word a line, for tests with several of
 * them: `ready`, the kinds of changes, and the kinds of problems.
 *
 *     node --import tsx test/watch/watching-program.ts DATABASE FOLDER
 */
import { watchSources } from '../../src/index.js';

const [database = '', folder = ''] = process.argv.slice(2);
const tell = (word: string): unknown => process.stdout.write(`${word}\n`);
const watch = await watchSources({
  database,
  sources: [folder],
  semantic: false,
  git: false,
  quiet: 50,
  onChange: ({ kind }) => tell(kind),
  onProblem: ({ kind }) => tell(kind),
});
tell('ready');
process.stdin.once('data', () => void watch.close().then(() => process.exit(0)));
