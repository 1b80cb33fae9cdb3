// `npm run bench:browse -- DATABASE [QUESTIONS]`: lists, counts, suggestions and similar skills of a catalogue, each
// asked for the first time in this process and again, beside what people build with MiniSearch: name and description
// with its own defaults, counting the fields of all it finds. See README.md here.
import MiniSearch from 'minisearch';
import { randomNumbers } from '../src/evaluation/compare.js';
import { FACETS, openSkillSearch, type SkillSearch } from '../src/index.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { pick } from './random.js';
import { quantile } from './statistics.js';

const SEED = 18;
const SKILLS_OF_SIMILAR = 100;

const [database, wanted = '300'] = process.argv.slice(2);
if (database === undefined) {
  console.error('usage: npm run bench:browse -- DATABASE [QUESTIONS]');
  process.exit(2);
}
await using search = await openSkillSearch({ database });
const random = randomNumbers(SEED);
const ids = search.ids();
const questions = questionsOf(search, Number(wanted));
const typed = questions.flatMap((question) => beginningsOf(question.slice(0, 40)));
const lean = leanMiniSearch(search);

const rows: string[][] = [];
measure('keyword, relevance', questions, (q) => search.keyword({ q }));
measure('keyword with four facets', questions, (q) => search.keyword({ q, facets: FACETS }));
measure('lean MiniSearch, search', questions, (q) => lean.search(q));
measure('lean MiniSearch, search and count two facets', questions, (q) => countFound(lean.search(q)));
measure('keyword by date', questions, (q) => search.keyword({ q, sortBy: 'recent' }));
measure('keyword by date with four facets', questions, (q) => search.keyword({ q, sortBy: 'recent', facets: FACETS }));
const pages = questions.map((_, i) => 1 + Math.floor((i * ids.length) / (20 * questions.length)));
measure('list by date, pages of the whole', pages, (page) => search.list({ page }));
measure('list by stars, pages of the whole', pages, (page) => search.list({ page, sortBy: 'stars' }));
measure('suggest, key by key', typed, (text) => search.suggest(text));
measure('lean MiniSearch, autoSuggest, key by key', typed, (text) => lean.autoSuggest(text));
await measureSimilar();

console.log(`${machineName()}; ${ids.length.toLocaleString('en')} skills, ${questions.length} questions\n`);
console.log(markdownTable(['milliseconds', 'first: p50', 'p99', 'again: p50', 'p99'], rows));

/** The first words, one to four, of descriptions that are drawn. */
function questionsOf({ get }: Pick<SkillSearch, 'get'>, count: number): string[] {
  const drawn: string[] = [];
  while (drawn.length < count) {
    const words = get.call(search, pick(random, ids))?.description.match(/\p{L}[\p{L}\p{N}-]*/gu) ?? [];
    const q = words.slice(0, 1 + Math.floor(random() * 4)).join(' ');
    if (q !== '') drawn.push(q.slice(0, 200));
  }
  return drawn;
}

function beginningsOf(text: string): string[] {
  return [...text].map((_, i, all) => all.slice(0, i + 1).join(''));
}

/** What people build: two fields, the library's own terms and defaults. */
function leanMiniSearch(catalogue: SkillSearch): MiniSearch {
  const index = new MiniSearch({ fields: ['name', 'description'], storeFields: ['author', 'categories'] });
  for (const id of ids) {
    const skill = catalogue.get(id);
    if (skill === undefined) continue;
    const { name, description, author, categories } = skill;
    index.add({ id, name, description, author, categories });
  }
  return index;
}

function countFound(found: ReturnType<MiniSearch['search']>): [Map<string, number>, Map<string, number>] {
  const [authors, categories] = [new Map<string, number>(), new Map<string, number>()];
  for (const { author, categories: slugs } of found) {
    authors.set(author, (authors.get(author) ?? 0) + 1);
    for (const slug of slugs) categories.set(slug, (categories.get(slug) ?? 0) + 1);
  }
  return [authors, categories];
}

/** Two rounds over all of what is asked. */
function measure<Asked>(name: string, all: readonly Asked[], ask: (asked: Asked) => unknown): void {
  const rounds = [1, 2].map(() =>
    all.map((asked) => {
      const started = performance.now();
      ask(asked);
      return performance.now() - started;
    }),
  );
  addRow(name, rounds);
}

async function measureSimilar(): Promise<void> {
  const asked = Array.from({ length: SKILLS_OF_SIMILAR }, () => pick(random, ids));
  const rounds: number[][] = [];
  for (const _ of [1, 2]) {
    const times: number[] = [];
    for (const id of asked) {
      const started = performance.now();
      await search.similar(id);
      times.push(performance.now() - started);
    }
    rounds.push(times);
  }
  rows.push(['similar, the first call of the process', (rounds[0]?.[0] ?? 0).toFixed(0), '', '', '']);
  addRow('similar', rounds);
}

function addRow(name: string, rounds: readonly (readonly number[])[]): void {
  rows.push([name, ...rounds.flatMap((times) => [quantile(times, 0.5), quantile(times, 0.99)]).map(shown)]);
}

function shown(milliseconds: number): string {
  return milliseconds.toPrecision(3);
}
