// Opens a catalogue with the built library and asks questions: `node ask.mjs LIBRARY DATABASE QUESTIONS words|meaning`. Prints
// how long opening took, the memory then and after all questions, and the time of each, the first tenth aside, as JSON.
import { readFileSync } from 'node:fs';

const [library, database, file, kind] = process.argv.slice(2);
const { openSkillSearch } = await import(library);
const questions = JSON.parse(readFileSync(file, 'utf8'));
const started = performance.now();
const search = await openSkillSearch({ database, warmUp: kind === 'meaning' });
const openSeconds = (performance.now() - started) / 1000;
const openedRss = process.memoryUsage.rss();
const times = [];
for (const { q, sortBy } of questions) {
  const before = performance.now();
  if (kind === 'meaning') await search.semantic({ q });
  else search.keyword({ q, sortBy }).hits.map(({ skill }) => skill.id);
  times.push(performance.now() - before);
}
const rss = process.memoryUsage.rss();
await search.close();
console.log(JSON.stringify({ openSeconds, openedRss, rss, times: times.slice(Math.floor(times.length / 10)) }));
