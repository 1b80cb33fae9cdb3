// Times what a program waits for that embeds the built library: `node open-and-mean.mjs LIBRARY DATABASE [QUESTION]`. Prints the
// milliseconds of the import, of opening, and of the first question by meaning, as JSON.
const [library, database, q] = process.argv.slice(2);
const times = [performance.now()];
const { openSkillSearch } = await import(library);
times.push(performance.now());
const search = await openSkillSearch({ database });
times.push(performance.now());
const isWithMeaning = q !== undefined && search.stats().vectors > 0;
if (isWithMeaning) await search.semantic({ q });
times.push(performance.now());
await search.close();
const [imported, opened, asked] = times.slice(1).map((time, i) => time - times[i]);
console.log(JSON.stringify(isWithMeaning ? { imported, opened, asked } : { imported, opened }));
