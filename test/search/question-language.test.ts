import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, type OpenOptions, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

async function open({ place, ...options }: OpenOptions & { place?: 'file' | 'memory' }): Promise<SkillSearch> {
  const database = scratchFile('skills.db');
  if (place === 'file') await buildCatalogue({ database, sources: [SKILLS], semantic: false });
  const search = await openSkillSearch(place === 'file' ? { ...options, skills: undefined, database } : options);
  onTestFinished(() => search.close());
  return search;
}

const SKILLS = [
  row('invoices', { name: 'rechnungen', description: 'rechnungen schreiben, extract' }),
  row('small-words', { name: 'other', description: 'wie kann ich bitte die als das und der' }),
  row('english', { name: 'how', description: 'how can I please write the invoices' }),
];

describe.each(['file', 'memory'] as const)('the small words of a question in its language (in a %s)', (place) => {
  test('find nothing by themselves, in both searches', async () => {
    const search = await open({ skills: SKILLS, place });
    const q = 'wie kann ich bitte rechnungen schreiben';
    const found = search.keyword({ q });
    expect(found.step).toBe('all-words');
    expect(found.hits.map(({ skill }) => skill.id)).toEqual(['invoices']);
    const { hits } = await search.semantic({ q, ranking: 'words' });
    expect(hits.map(({ skill }) => skill.id)).toEqual(['invoices']);
  });

  test('count in a question of another language', async () => {
    const search = await open({ skills: SKILLS, place });
    const { hits } = await search.semantic({ q: 'how should I write als into the extract', ranking: 'words' });
    expect(hits.map(({ skill }) => skill.id).sort()).toEqual(['english', 'invoices', 'small-words']);
  });

  test('count if the list of somebody has other words', async () => {
    const search = await open({ skills: SKILLS, place, stopWords: ['rechnungen'] });
    const found = search.keyword({ q: 'bitte rechnungen und als' });
    expect(found.hits.map(({ skill }) => skill.id)).toEqual(['small-words']);
  });
});

test('An embedder is asked whether it reads the language of a question', async () => {
  const asked: string[] = [];
  const embedder = Object.assign(new StandInEmbedder(), {
    readsLanguage: (language: string): boolean => {
      asked.push(language);
      return language === 'en';
    },
  });
  const search = await open({ skills: SKILLS, embedder });
  await search.semantic({ q: 'wie kann ich bitte rechnungen schreiben' });
  await search.semantic({ q: 'kubernetes' });
  await search.semantic({ q: 'отчёт', ranking: 'vector' });
  await search.semantic({ q: 'how to write', ranking: 'words' });
  expect(asked).toEqual(['de', 'en', 'ru']);
});

test('An embedder is told which texts are documents and which are questions, the sentences of a question too', async () => {
  const embedder = new StandInEmbedder();
  const search = await open({ skills: SKILLS, embedder });
  await search.warmUp();
  expect(new Set(embedder.purposes)).toEqual(new Set(['document']));
  const documents = embedder.asked.length;
  await search.semantic({ q: 'How can I write the invoices? Then please extract what they say.' });
  expect(embedder.asked.length).toBe(documents + 3);
  expect(embedder.purposes.slice(documents)).toEqual(['question', 'question', 'question']);
});
