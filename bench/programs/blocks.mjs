// Asks one thing again and again with the built library, and records how long the event loop got no turn meanwhile:
// `node blocks.mjs LIBRARY DATABASE OPERATION < asked.json`; without OPERATION it prints the names of all, and ids of
// skills. A process of its own for each, so that the first call finds nothing read or made by another.
import { existsSync, openSync, readFileSync, readSync } from 'node:fs';

const [library, database, wanted] = process.argv.slice(2);
const { FACETS, followCatalogue, openSkillSearch } = await import(library);

const schedulePath = `/proc/self/task/${process.pid}/schedstat`;
const schedule = existsSync(schedulePath) ? openSync(schedulePath) : undefined;
const line = Buffer.alloc(100);

const facets = FACETS;
const short = (q) => [...q].slice(0, 200).join('');
const firstWords = (q, count) => (q.match(/[\p{L}\p{N}]+/gu) ?? ['skill']).slice(0, count).join(' ');
const keyword = (options) => (search, q) => search.keyword({ ...options, q: firstWords(q, 2) });
const explained = (search, q) =>
  search.keyword({ q: firstWords(q, 2) }).hits.map((hit) => [hit.matchedTerms, hit.snippet]);
/** A skill, another for each question. */
const idOf = (i) => ids[(i * 7919) % ids.length];
let ids = [];

/** How each operation is asked; those that begin with `open` open the catalogue. */
const OPERATIONS = {
  'open, words': { open: () => openSkillSearch({ database }) },
  'open and warm up': { open: () => openSkillSearch({ database, warmUp: true }) },
  'words, by relevance': { ask: keyword({}) },
  'words, by date': { ask: keyword({ sortBy: 'recent' }) },
  'words, by stars': { ask: keyword({ sortBy: 'stars' }) },
  'long request': { ask: (search, q) => search.keyword({ q: short(q) }) },
  phrase: { ask: (search, q) => search.keyword({ q: `"${firstWords(q, 2)}"` }) },
  typo: { ask: (search, q) => search.keyword({ q: firstWords(q, 5).replace(/(\p{L}\p{L})(\p{L})/u, '$1x') }) },
  'word begun': { ask: (search, q) => search.keyword({ q: firstWords(q, 3).slice(0, -1) }) },
  explained: { ask: explained },
  'each facet of words': { ask: (search, q) => search.keyword({ q: firstWords(q, 1), facets }) },
  'last page of many': { ask: (search) => search.keyword({ q: 'use', limit: 50, page: 50 }) },
  list: { ask: (search, _, i) => search.list({ page: i + 1 }) },
  'list by stars': { ask: (search, _, i) => search.list({ page: i + 1, sortBy: 'stars' }) },
  'list without copies': { ask: (search, _, i) => search.list({ page: i + 1, copies: 'collapse' }) },
  'list with each facet': { ask: (search, _, i) => search.list({ page: i + 1, facets }) },
  suggest: { ask: (search, q, i) => search.suggest(firstWords(q, 3).slice(0, 1 + (i % 12))) },
  authors: { ask: (search) => search.authors() },
  categories: { ask: (search) => search.categories() },
  stats: { ask: (search) => search.stats() },
  ids: { ask: (search) => search.ids() },
  'copies of a skill': { ask: (search, _, i) => search.copiesOf(idOf(i)) },
  similar: { ask: (search, _, i) => search.similar(idOf(i)) },
  'words of semantic': { ask: (search, q) => search.semantic({ q, ranking: 'words' }) },
  hybrid: { ask: (search, q) => search.semantic({ q }) },
  'hybrid, 100 explained': { ask: (search, q) => search.semantic({ q, limit: 100, explain: true }) },
  'hybrid, few skills allowed': { ask: (search, q) => search.semantic({ q, minStars: 1000 }) },
  'hybrid, half of all allowed': { ask: (search, q) => search.semantic({ q, minStars: 1 }) },
  'hybrid without graph': { ask: (search, q) => search.semantic({ q }), options: { graph: false } },
  'vectors alone': { ask: (search, q) => search.semantic({ q, ranking: 'vector' }) },
  'eight hybrid at once': {
    ask: (search, q) => Promise.all([...'12345678'].map((more) => search.semantic({ q: `${q} ${more}` }))),
  },
  'reload while asked by meaning': {
    open: () => followCatalogue({ database, interval: 1_000_000, warmUp: true }),
    ask: (search) => search.reload(),
    count: 2,
  },
};

if (wanted === undefined) {
  const search = await openSkillSearch({ database });
  console.log(JSON.stringify({ names: Object.keys(OPERATIONS), ids: search.ids().slice(0, 2000) }));
  await search.close();
} else {
  const { ask, open, options, count = Number.POSITIVE_INFINITY } = OPERATIONS[wanted];
  const asked = JSON.parse(readFileSync(0, 'utf8'));
  ids = asked.ids;
  const questions = asked.questions.slice(0, count);
  let search;
  const opening = await longestTurn(async () => {
    search = await (open === undefined ? openSkillSearch({ database, ...options }) : open());
  });
  const passes = [];
  if (ask === undefined) passes.push([opening]);
  else {
    for (const _ of ['first', 'again']) {
      const pass = [];
      for (const [i, q] of questions.entries()) pass.push(await longestTurn(() => ask(search, q, i)));
      passes.push(pass);
    }
  }
  await search.close();
  console.log(JSON.stringify(passes));
}

/**
 * The longest time between two turns of the event loop while something is done, in milliseconds: by the clock, and by
 * the processor time of the main thread, which is nearer to the truth on a machine that others keep busy. The longest
 * by processor time is taken.
 */
async function longestTurn(run) {
  const longest = { ms: 0, block: 0, cpu: 0 };
  let isDone = false;
  let [at, used] = [performance.now(), processor()];
  const look = () => {
    const [now, usedNow] = [performance.now(), processor()];
    const least = Math.min(now - at, usedNow - used);
    if (least > longest.cpu) Object.assign(longest, { block: now - at, cpu: least });
    [at, used] = [now, usedNow];
    if (!isDone) setImmediate(look);
  };
  await new Promise(setImmediate);
  const began = performance.now();
  [at, used] = [began, processor()];
  setImmediate(look);
  await run();
  longest.ms = performance.now() - began;
  await new Promise(setImmediate);
  isDone = true;
  look();
  return longest;
}

/**
 * Milliseconds that this thread, the first, ran so far: exact to a tick of the system, mostly 4 ms. Else of the clock.
 */
function processor() {
  if (schedule === undefined) return performance.now();
  const length = readSync(schedule, line, 0, line.length, 0);
  return Number(line.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}
