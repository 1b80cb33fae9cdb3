// Times keyword search with a built library: `node ask-classes.mjs LIBRARY DATABASE QUESTIONS`, where QUESTIONS is a file
// with questions by class. Prints the milliseconds of each question by class and order. Every question is asked twice;
// the second time counts.
import { readFileSync } from 'node:fs';

const [library, database, file] = process.argv.slice(2);
const { openSkillSearch } = await import(library);
const search = await openSkillSearch({ database });
const times = {};
for (const sortBy of ['relevance', 'recent', 'stars']) {
  for (const [name, questions] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
    for (const q of questions) search.keyword({ q, sortBy });
    times[`${name}, ${sortBy}`] = questions.map((q) => {
      const started = performance.now();
      search.keywordRecords({ q, sortBy });
      return performance.now() - started;
    });
  }
}
console.log(JSON.stringify(times));
await search.close();
