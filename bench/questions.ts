import { type KeywordStep, openSkillSearch, type SkillSearch } from '../src/index.js';
import { resolveKeywordQuery } from '../src/query.js';
import { catalogueSearchOf } from '../src/search/index.js';
import { Database } from '../src/store/sqlite.js';
import { wordsByFrequency } from './word-frequencies.js';

/** A class of questions that are timed together. */
export interface QuestionClass {
  readonly name: string;
  readonly questions: readonly string[];
  /** Only skills of this category are asked for. */
  readonly category?: string;
}

const PER_CLASS = 100;
/** Characters of a long request. */
const LONGEST = 200;

/** Ids spread over the catalogue; the same ones for the same catalogue. */
export function sampleIds(database: string): string[] {
  const connection = new Database(database, { readonly: true });
  try {
    const ids = connection
      .prepare<[], string>('SELECT id FROM skill ORDER BY substr(copy_key, 1, 8), id LIMIT 3000')
      .pluck()
      .all();
    return ids;
  } finally {
    connection.close();
  }
}

/** Descriptions of these skills, as far as they are there. */
export async function descriptionsOf(database: string, ids: readonly string[]): Promise<string[]> {
  await using search = await openSkillSearch({ database });
  return ids.flatMap((id) => search.get(id)?.description ?? []);
}

/** Questions made of the words of a catalogue, by the step that answers them and by form. */
export async function makeQuestions(database: string, ids: readonly string[]): Promise<QuestionClass[]> {
  await using search = await openSkillSearch({ database });
  const texts = ids.map((id) => search.get(id)).filter((skill) => skill !== undefined);

  const byFrequency = wordsByFrequency(texts.map(({ description }) => description));
  const common = byFrequency.slice(0, PER_CLASS);
  const english = texts
    .map(({ description }) => description.match(/[A-Za-z]{4,}/g) ?? [])
    .filter((words) => words.length > 8);
  const chinese = texts
    .map(({ description }) => /\p{Script=Han}{4,}/u.exec(description)?.[0])
    .filter((text) => text !== undefined);
  const files = ids.slice(0, 1000).map((id) => search.files(id)[0]?.text.match(/[A-Za-z]{4,}/g) ?? []);

  const at = (words: readonly string[], i: number): string => words[i % words.length] as string;
  const each = (make: (words: readonly string[], i: number) => string): string[] => english.map(make);
  /** The first questions that this step answers. */
  const answeredBy = (step: KeywordStep, questions: readonly string[]): string[] => {
    const taken: string[] = [];
    for (const q of questions) {
      if (taken.length === PER_CLASS) break;
      if (stepOf(search, q) === step) taken.push(q);
    }
    return taken;
  };

  const classes: QuestionClass[] = [
    { name: 'one common word', questions: common },
    { name: 'one rare word', questions: byFrequency.slice(-PER_CLASS) },
    {
      name: 'two words',
      questions: answeredBy(
        'all-words',
        each((words, i) => `${at(words, i)} ${at(words, i + 3)}`),
      ),
    },
    {
      name: 'five words',
      questions: answeredBy(
        'all-words',
        each((words, i) => [0, 1, 2, 3, 4].map((k) => at(words, i + k)).join(' ')),
      ),
    },
    {
      name: 'phrase',
      questions: answeredBy(
        'all-words',
        each((words) => `"${words[0]} ${words[1]}"`),
      ),
    },
    { name: 'Chinese', questions: chinese.slice(0, PER_CLASS).map((text) => text.slice(0, 4)) },
    ...search
      .categories()
      .slice(0, 1)
      .map(({ slug }) => ({ name: 'common word, one category', questions: common, category: slug })),
    {
      name: 'file text',
      questions: answeredBy(
        'file-text',
        files.filter((words) => words.length > 8).map((words, i) => `${at(words, i)} ${at(words, i + 5)}`),
      ),
    },
    {
      name: 'last word begun',
      questions: answeredBy(
        'prefix',
        each(
          (words, i) =>
            `${at(words, i)} ${at(words, i + 1)
              .slice(0, -2)
              .padEnd(3, at(words, i + 1))}`,
        ),
      ),
    },
    {
      name: 'typo',
      questions: answeredBy(
        'typo',
        each((words, i) => `${swap(at(words, i))} ${at(words, i + 2)}`),
      ),
    },
    {
      // As people ask in plain language: no skill has all of it. Lean engines answer by any word.
      name: 'long request',
      questions: each((words, i) =>
        [...words.slice(0, 8), ...(english[(i + 11) % english.length] ?? []).slice(0, 8)].join(' ').slice(0, LONGEST),
      ).slice(0, PER_CLASS),
    },
    {
      name: 'some words',
      questions: answeredBy(
        'some-words',
        each((words, i) => [0, 7, 13, 19].map((k) => at(english[(i + k) % english.length] ?? words, k)).join(' ')),
      ),
    },
  ];
  return classes.filter(({ questions }) => questions.length > 0);
}

function stepOf(search: SkillSearch, q: string): KeywordStep | undefined {
  return /[\p{L}\p{N}]/u.test(q)
    ? catalogueSearchOf(search).keywordRecords(resolveKeywordQuery({ q, limit: 1, sortBy: 'recent' })).step
    : undefined;
}

function swap(word: string): string {
  const i = Math.floor(word.length / 2);
  return word.slice(0, i - 1) + word[i] + word[i - 1] + word.slice(i + 1);
}

/** Questions by the step that answers them. */
export async function classesByStep(
  database: string,
  title: string,
  questions: readonly string[],
): Promise<QuestionClass[]> {
  await using search = await openSkillSearch({ database });
  const byStep = new Map<string, string[]>();
  for (const q of questions) {
    const step = stepOf(search, q) ?? 'nothing';
    const same = byStep.get(step);
    if (same === undefined) byStep.set(step, [q]);
    else same.push(q);
  }
  return [...byStep].map(([step, asked]) => ({ name: `${title}: ${step}`, questions: asked }));
}
