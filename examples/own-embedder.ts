// An embedder of your own.
//
// Whatever turns texts into vectors can stand in for the bundled model: an API, a model in another runtime, or, as here,
// a function. Give the same embedder to the load and to the search.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalogue, type Embedder, openSkillSearch, SkillSearchError } from 'skill-discovery';

/** What the words of this small world are about. A real embedder has learnt that. */
const TOPICS: readonly (readonly string[])[] = [
  ['bread', 'bake', 'bakes', 'baking', 'sourdough', 'oven', 'loaf', 'dough'],
  ['plant', 'plants', 'water', 'waters', 'garden', 'leaf', 'leaves', 'fern'],
  ['tax', 'form', 'forms', 'invoice', 'invoices', 'refund', 'income'],
];

/** A vector with one value for each topic, and one for everything else. */
function vectorOf(text: string): Float32Array {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const counts = TOPICS.map((topic) => words.filter((word) => topic.includes(word)).length);
  const vector = Float32Array.of(...counts, 0.1);
  // Vectors have a norm of 1: their dot product is then the cosine.
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

const embedder: Embedder = {
  // Vectors are stored under this name. Change it whenever the vectors change, so that nobody compares old with new.
  model: 'topics-1',
  // One vector for each text, in their order. `signal` says when nobody waits any more.
  async embed(texts, { signal } = {}) {
    signal?.throwIfAborted();
    return texts.map(vectorOf);
  },
};

const rows = [
  { name: 'loaf-helper', description: 'Plans when to feed the sourdough and heat the oven.' },
  { name: 'green-thumb', description: 'Says when to water a fern, and why its leaves are brown.' },
  { name: 'refund-finder', description: 'Reads invoices and finds what lowers the tax.' },
];

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-embedder-'));
try {
  const database = join(folder, 'skills.db');
  const report = await buildCatalogue({ database, sources: [rows], embedder });
  console.log(`${report.embedded} texts embedded by ${embedder.model}`);

  await using search = await openSkillSearch({ database, embedder });
  const { hits } = await search.semantic({ q: 'baking dough', ranking: 'vector', limit: 1 });
  console.log(`baking dough: ${hits[0]?.skill.name}, cosine ${hits[0]?.score.toFixed(2)}`);

  // Skills in memory work the same way. They are embedded when they are first needed.
  await using inMemory = await openSkillSearch({ skills: rows, embedder });
  const answer = await inMemory.semantic({ q: 'plants in my garden', ranking: 'vector', limit: 1 });
  console.log(`plants in my garden: ${answer.hits[0]?.skill.name}`);

  // Vectors of one model say nothing about those of another: asking with the wrong one is an error.
  await using wrong = await openSkillSearch({ database, embedder: { ...embedder, model: 'topics-2' } });
  await wrong.semantic({ q: 'bread' }).catch((error: unknown) => {
    if (!(error instanceof SkillSearchError)) throw error;
    console.log(`with another model: ${error.code}`);
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
