// Opens a catalogue with the built library and asks one question: `node first-answer.mjs LIBRARY DATABASE QUESTION`. Prints
// the total.
const [library, database, q] = process.argv.slice(2);
const { openSkillSearch } = await import(library);
const search = await openSkillSearch({ database });
console.log(search.keyword({ q, sortBy: 'recent' }).pagination.total);
