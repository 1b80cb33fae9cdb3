// What the classifier learns from, as JSON Lines; see README.md.
//
//     npx tsx scripts/classify/features.ts --database skills.db LABELS... > features.jsonl
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { chooseModel } from '../../src/semantic/choose-model.js';
import { skillTerms } from '../../src/semantic/classifier.js';
import { embeddedText } from '../../src/semantic/skill-texts.js';

/** Terms of the vocabulary: the most frequent ones of the catalogue. */
const TERMS = 4_000;

interface Example {
  readonly kind: 'labelled' | 'own';
  readonly fits: readonly string[];
  readonly terms: Readonly<Record<string, number>>;
  readonly vector: readonly number[];
}

const { values, positionals } = parseArgs({
  options: { database: { type: 'string' } },
  allowPositionals: true,
});
const database = new Database(values.database!, { readonly: true });
const model = database.prepare("SELECT value FROM meta WHERE key = 'model'").pluck().get() as string;
const print = (value: unknown): void => console.log(JSON.stringify(value));

const taxonomy = JSON.parse(readFileSync('data/categories.json', 'utf8')) as {
  readonly categories: readonly { readonly slug: string; readonly name: string; readonly description: string }[];
}[];
const categories = taxonomy.flatMap((group) => group.categories);

const frequency = new Map<string, number>();
let skills = 0;
for (const record of database.prepare('SELECT record FROM skill').pluck().iterate()) {
  const [, name, description] = JSON.parse(record as string) as [string, string, string];
  for (const term of skillTerms(name, description).keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  skills += 1;
}
const frequent = [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, TERMS);
const terms = frequent.map(([term]) => term);
const rarities = frequent.map(([, count]) => Number(Math.log(skills / count).toFixed(3)));
print({ model, categories: categories.map(({ slug }) => slug), terms, rarities });

const find = database.prepare<[string], { record: string; embedding: Buffer }>(`
  SELECT record, embedding FROM skill JOIN vector USING (text_hash) WHERE id = ?`);
for (const file of positionals) {
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { id, fits } = JSON.parse(line) as { readonly id: string; readonly fits: readonly string[] };
    const { record, embedding } = find.get(id)!;
    const [, name, description] = JSON.parse(record) as [string, string, string];
    const floats = new Float32Array(new Uint8Array(embedding).buffer);
    printExample('labelled', fits, name, description, floats);
  }
}

/** Texts of this project: the sample catalogue, and the taxonomy's own descriptions. */
const own = [
  ...categories.map(({ slug, name, description }) => ({ categories: [slug], name, description })),
  ...readFileSync('data/sample/skills.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { categories: string[]; name: string; description: string }),
];
const bundled = await chooseModel({});
if (bundled.id !== model) throw new Error(`${values.database} has vectors of ${model}, not of ${bundled.id}`);
const embedder = await bundled.start(1);
for (const { categories: fits, name, description } of own) {
  const [vector] = await embedder.embed([embeddedText(name, description)], { purpose: 'document' });
  printExample('own', fits, name, description, vector!);
}
await bundled.stop(embedder);

function printExample(
  kind: Example['kind'],
  fits: readonly string[],
  name: string,
  description: string,
  vector: Float32Array,
): void {
  const example: Example = {
    kind,
    fits,
    terms: Object.fromEntries(skillTerms(name, description)),
    vector: [...vector].map((value) => Number(value.toFixed(6))),
  };
  print(example);
}
