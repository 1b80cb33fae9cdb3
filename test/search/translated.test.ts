import { expect, test } from 'vitest';
import type { KeywordResult, OpenOptions, SkillSearch } from '../../src/index.js';
import { storedRecords } from '../catalogue-file.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const SKILLS = [
  row('one', { description: 'Translates a page.', stars: 1, updatedAt: 3, categories: ['x'] }),
  row('two', { description: 'Translate and print.', stars: 2, updatedAt: 2, categories: ['x', 'y'] }),
  row('three', { files: [{ filename: 'notes.md', text: 'How to translate.' }], stars: 3, updatedAt: 1 }),
  row('python', { description: 'Python' }),
];

async function open(options: Partial<OpenOptions> = {}): Promise<SkillSearch> {
  return opened({ skills: SKILLS, ...options });
}

function idsOf({ hits }: KeywordResult): string[] {
  return hits.map(({ skill }) => skill.id);
}

test('a question in another language of which nothing is found is read in English, and the answer says how', async () => {
  const search = await open();
  const answer = search.keyword({ q: '翻译' });
  expect(answer).toMatchObject({ step: 'translated', pagination: { total: 2 } });
  expect(answer.translated).toEqual([{ asked: '翻译', read: expect.stringMatching(/^translat/) }]);
  expect(answer).not.toHaveProperty('corrected');
  expect(idsOf(answer).sort()).toEqual(['one', 'two']);
  const { matches, snippet } = answer.hits.find(({ skill }) => skill.id === 'one')!;
  expect(matches).toMatchObject({ description: ['translates'] });
  expect(snippet).toEqual({ field: 'description', text: 'Translates a page.', highlights: [[0, 10]] });
});

test('a question is read in English in a file as in memory, and as a server asks it', async () => {
  const database = await catalogueOf(SKILLS);
  const [file, memory] = [await open({ database, skills: undefined }), await open()];
  for (const q of ['翻译', '用 python 翻译', '翻译 xyzzy']) {
    expect(file.keyword({ q })).toEqual(memory.keyword({ q }));
    const { step, records } = storedRecords(file, { q });
    expect(step).toBe('translated');
    expect(records.map((record) => JSON.parse(record).id)).toEqual(idsOf(file.keyword({ q })));
  }
});

test('what is read in English is filtered, counted, ordered and divided into pages as any answer', async () => {
  const search = await open();
  expect(idsOf(search.keyword({ q: '翻译', sortBy: 'stars' }))).toEqual(['two', 'one']);
  expect(idsOf(search.keyword({ q: '翻译', sortBy: 'recent' }))).toEqual(['one', 'two']);
  expect(search.keyword({ q: '翻译', facets: ['category'] }).facets).toEqual({
    category: [
      { value: 'x', count: 2 },
      { value: 'y', count: 1 },
    ],
  });
  expect(idsOf(search.keyword({ q: '翻译', category: 'y' }))).toEqual(['two']);
  expect(idsOf(search.keyword({ q: '翻译', minStars: 3 }))).toEqual(['three']);
  const second = search.keyword({ q: '翻译', sortBy: 'stars', limit: 1, page: 2 });
  expect([idsOf(second), second.pagination.total]).toEqual([['one'], 2]);
  expect(search.keyword({ q: '翻译', limit: 1, page: 9 })).toMatchObject({ step: 'translated', hits: [] });
});

test('a skill that has the words of the question itself is found by these alone', async () => {
  const search = await open({ skills: [...SKILLS, row('own', { description: '翻译' })] });
  const answer = search.keyword({ q: '翻译' });
  expect([answer.step, idsOf(answer)]).toEqual(['all-words', ['own']]);
  expect(answer).not.toHaveProperty('translated');
});

test('some of the English words come before some of the own ones, and only what is looked for is told', async () => {
  const search = await open();
  const { step, translated } = search.keyword({ q: 'python 翻译 翻译 数据库' });
  expect([step, translated]).toEqual(['translated', [{ asked: '翻译', read: expect.stringMatching(/^translat/) }]]);
  // No English word for what the catalogue lacks, and python is not read as anything.
  expect(search.keyword({ q: 'python 数据库' }).step).toBe('some-words');
});

test.each(['"翻译"', '翻译 "print"', 'translatte', 'page nothing', 'nothing'])(
  '%s is not read in English',
  async (q) => {
    const answer = (await open()).keyword({ q });
    expect(answer.step).not.toBe('translated');
    expect(answer).not.toHaveProperty('translated');
  },
);

test('with gloss: false no question is read in English, by words or by meaning', async () => {
  const found = async (gloss?: boolean): Promise<unknown[]> => {
    const search = await open({ gloss });
    const { hits } = await search.semantic({ q: '翻译', ranking: 'words' });
    return [search.keyword({ q: '翻译' }).step, hits.length > 0];
  };
  expect(await found(false)).toEqual([undefined, false]);
  expect(await found()).toEqual(['translated', true]);
  expect(await codeOf(() => open({ gloss: 'no' as never }))).toBe('INVALID_OPTION');
});

test('what a question and its English words find together is at most all that they could find', async () => {
  const names = 'docker kubernetes helm chart terraform ansible jenkins grafana redis kafka';
  const search = await open({ skills: [row('all', { name: names, description: names.repeat(3) }), ...SKILLS] });
  const q = `${names} für mich bitte übersetzen`;
  const { hits, translated } = await search.semantic({ q, ranking: 'words', explain: true });
  expect(translated).toHaveLength(1);
  expect(hits[0]).toMatchObject({ score: 1, skill: { id: 'all' }, explain: { words: 1 } });
});

test.each([
  ['not read', ['en'], /^translat/],
  ['read', ['en', 'zh'], /^翻译$/],
])(
  'a question in a language that a model of one’s own does %s is embedded accordingly',
  async (_, languages, asked) => {
    const embedder = new StandInEmbedder();
    const readsLanguage = (language: string): boolean => languages.includes(language);
    const search = await open({ embedder: Object.assign(embedder, { readsLanguage }) });
    await search.semantic({ q: '翻译', ranking: 'vector' });
    expect(embedder.asked.at(-1)).toMatch(asked);
  },
);

test('English words that stop words of one’s own leave out are not looked for', async () => {
  const usual = (await open()).keyword({ q: '翻译' }).translated![0]!.read;
  expect((await open({ stopWords: [usual] })).keyword({ q: '翻译 python' }).step).toBe('some-words');
});
