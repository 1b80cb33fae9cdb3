import { openSkillSearch } from '../src/index.js';
import { Database } from '../src/sqlite/connection.js';

/** A class of questions that are timed together. */
export interface QuestionClass {
  readonly name: string;
  readonly questions: readonly string[];
}

const PER_CLASS = 100;

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

/** Questions made of the words of a catalogue, by the step that is likely to answer and by form. */
export async function makeQuestions(database: string, ids: readonly string[]): Promise<QuestionClass[]> {
  const search = await openSkillSearch({ database, keywordIndex: false });
  const texts = ids.map((id) => search.get(id)).filter((skill) => skill !== undefined);
  await search.close();

  const counts = new Map<string, number>();
  for (const { description } of texts) {
    for (const word of new Set(description.toLowerCase().match(/[a-z]{4,}/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byFrequency = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
  const english = texts
    .map(({ description }) => description.match(/[A-Za-z]{4,}/g) ?? [])
    .filter((words) => words.length > 8);
  const chinese = texts
    .map(({ description }) => /\p{Script=Han}{4,}/u.exec(description)?.[0])
    .filter((text) => text !== undefined);
  const each = (make: (words: readonly string[], i: number) => string): string[] =>
    english.slice(0, PER_CLASS).map(make);
  const at = (words: readonly string[], i: number): string => words[i % words.length] as string;

  return [
    { name: 'one common word', questions: byFrequency.slice(0, PER_CLASS) },
    { name: 'one rare word', questions: byFrequency.slice(-PER_CLASS) },
    { name: 'two words', questions: each((words, i) => `${at(words, i)} ${at(words, i + 3)}`) },
    { name: 'five words', questions: each((words, i) => [0, 1, 2, 3, 4].map((k) => at(words, i + k)).join(' ')) },
    { name: 'phrase', questions: each((words) => `"${words[0]} ${words[1]}"`) },
    { name: 'last word begun', questions: each((words, i) => `${at(words, i)} ${at(words, i + 1).slice(0, -1)}`) },
    { name: 'typo', questions: each((words, i) => `${swap(at(words, i))} ${at(words, i + 2)}`) },
    {
      name: 'words of several skills',
      questions: each(
        (words, i) =>
          `${at(words, i)} ${english[(i + 7) % english.length]?.[2]} ${english[(i + 13) % english.length]?.[4]}`,
      ),
    },
    { name: 'Chinese', questions: chinese.slice(0, PER_CLASS).map((text) => text.slice(0, 4)) },
  ].filter(({ questions }) => questions.length > 0);
}

function swap(word: string): string {
  const i = Math.floor(word.length / 2);
  return word.slice(0, i - 1) + word[i] + word[i - 1] + word.slice(i + 1);
}
