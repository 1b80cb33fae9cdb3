// Opens a catalogue with the built library and asks one question by meaning: `node first-question.mjs LIBRARY DATABASE
// QUESTION`. Prints the seconds that each took as JSON.
const [library, database, q] = process.argv.slice(2);
const { openSkillSearch } = await import(library);
const started = performance.now();
const search = await openSkillSearch({ database });
const opened = performance.now();
await search.semantic({ q });
const answered = performance.now();
await search.close();
console.log(JSON.stringify({ open: (opened - started) / 1000, first: (answered - opened) / 1000 }));
