// How right the shipped classifier is about skills that it did not learn from; see README.md.
//
//     npx tsx scripts/classify/evaluate.ts --database skills.db LABELS...            skills that people labelled
//     npx tsx scripts/classify/evaluate.ts --database skills.db --source-labels      skills that their source labelled
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { readClassifier } from '../../src/semantic/classifier.js';

const { values, positionals } = parseArgs({
  options: { database: { type: 'string' }, 'source-labels': { type: 'boolean' } },
  allowPositionals: true,
});
const database = new Database(values.database!, { readonly: true });
const classifier = readClassifier();

interface Row {
  readonly id: string;
  readonly record: string;
  readonly categories: string;
  readonly embedding: Buffer;
}

function classify({ record, embedding }: Row): string[] {
  const [, name, description] = JSON.parse(record) as [string, string, string];
  return classifier.classify(name, description, new Float32Array(new Uint8Array(embedding).buffer));
}

/** Counts of one category. */
interface Counts {
  given: number;
  right: number;
  present: number;
}

class Tally {
  readonly #byCategory = new Map<string, Counts>();
  #skills = 0;
  #labelled = 0;

  /** @param expected all that are right */
  add(given: readonly string[], expected: readonly string[]): void {
    this.#skills += 1;
    if (given.length > 0) this.#labelled += 1;
    for (const slug of given) this.#of(slug).given += 1;
    for (const slug of expected) {
      this.#of(slug).present += 1;
      if (given.includes(slug)) this.#of(slug).right += 1;
    }
  }

  print(withCategories: boolean): void {
    const all = [...this.#byCategory].sort((a, b) => b[1].present - a[1].present);
    const sum = (key: keyof Counts): number => all.reduce((total, [, counts]) => total + counts[key], 0);
    const given = all.filter(([, counts]) => counts.given > 0);
    const macro = given.reduce((total, [, counts]) => total + counts.right / counts.given, 0) / given.length;
    const share = (part: number, whole: number): string => (part / whole).toFixed(3);
    console.log(
      `${this.#skills} skills: precision ${share(sum('right'), sum('given'))}, mean of ${given.length} categories ${macro.toFixed(3)}, recall ${share(sum('right'), sum('present'))}, skills with a label ${share(this.#labelled, this.#skills)}, ${sum('given')} labels`,
    );
    if (!withCategories) return;
    for (const [slug, { given: count, right, present }] of all) {
      console.log(`  ${slug.padEnd(20)} of its source ${present}, given ${count}, both ${right}`);
    }
  }

  #of(slug: string): Counts {
    let counts = this.#byCategory.get(slug);
    if (counts === undefined) {
      counts = { given: 0, right: 0, present: 0 };
      this.#byCategory.set(slug, counts);
    }
    return counts;
  }
}

const ROW = 'SELECT id, record, categories, embedding FROM skill JOIN vector USING (text_hash)';
const tally = new Tally();
if (values['source-labels'] === true) {
  const mapped = JSON.parse(readFileSync('scripts/classify/source-labels.json', 'utf8')) as Record<string, string>;
  const known = new Set(Object.values(mapped));
  for (const row of database.prepare<[], Row>(`${ROW} WHERE categories <> '[]'`).iterate()) {
    const labels = JSON.parse(row.categories) as string[];
    // A source label says of a skill that it is about one thing, and nothing of others.
    const expected = [...new Set(labels.flatMap((slug) => mapped[slug] ?? []))];
    if (expected.length > 0)
      tally.add(
        classify(row).filter((slug) => known.has(slug)),
        expected,
      );
  }
} else {
  const find = database.prepare<[string], Row>(`${ROW} WHERE id = ?`);
  for (const file of positionals) {
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const { id, fits } = JSON.parse(line) as { readonly id: string; readonly fits: readonly string[] };
      tally.add(classify(find.get(id)!), fits);
    }
  }
}
tally.print(values['source-labels'] === true);
