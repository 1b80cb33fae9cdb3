// Loads a catalogue with the built library, as a user's program would: `node load.mjs LIBRARY DATABASE SOURCE`. Prints JSON.
const [library, database, source] = process.argv.slice(2);
const { buildCatalogue } = await import(library);
const started = performance.now();
const { added, updated, unchanged, seconds } = await buildCatalogue({ database, sources: [source], semantic: false });
const total = (performance.now() - started) / 1000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ added, updated, unchanged, seconds, total, peakBytes }));
