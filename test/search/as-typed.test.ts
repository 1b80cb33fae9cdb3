import { describe, expect, test } from 'vitest';
import type { SemanticQuery, SkillSearch } from '../../src/index.js';
import { opened } from '../catalogues.js';
import { row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const NAMES = [
  ...['git', 'git-workflow', 'git-log', 'github-actions', 'github-issues', 'kubernetes', 'kubernetes-deploy'],
  ...['docker', 'dock-crane', 'docker-compose', 'pdf', 'pdf-forms', 'pdf-tables', 'go', 'google-docs'],
  ...['docker-files', 'docker-images', 'docker-logs', 'react', 'reaction-timer', 'react-native'],
];
const SKILLS = NAMES.map((name) => row(name, { name, description: name.replaceAll('-', ' ') }));

async function open(): Promise<SkillSearch> {
  return opened({ skills: SKILLS, embedder: new StandInEmbedder() });
}

const RANKINGS = ['hybrid', 'vector', 'words'] as const;

describe('a question that is being typed', () => {
  const asked = async (search: SkillSearch, q: string, more: Partial<SemanticQuery> = {}): Promise<string[]> => {
    const { hits } = await search.semantic({ q, asTyped: true, ...more });
    return hits.map(({ skill }) => skill.name);
  };

  test.each(RANKINGS)('by %s is asked with the word that is begun', async (ranking) => {
    const search = await open();
    for (const [typed, whole] of [
      ['kuber', 'kubernetes'],
      ['docke', 'docker'],
      ['dock', 'docker'],
      ['docker comp', 'docker compose'],
      ['d', 'docker'],
      ['do', 'docker'],
    ] as const) {
      const done = await asked(search, whole, { ranking, asTyped: false });
      expect([typed, await asked(search, typed, { ranking })]).toEqual([typed, done]);
    }
  });

  test('is asked with the word as it is where that is usual itself, and with names that go on', async () => {
    const search = await open();
    expect((await asked(search, 'git')).slice(0, 3).sort()).toEqual(['git', 'git-log', 'git-workflow']);
    expect((await asked(search, 'git')).slice(0, 5)).toContain('github-issues');
    expect((await asked(search, 'go'))[0]).toBe('go');
    expect(await asked(search, 'git ')).toEqual(await asked(search, 'git', { asTyped: false }));
    expect(await asked(search, 'wombat')).toEqual(await asked(search, 'wombat', { asTyped: false }));
  });

  test('leaves one or two letters out, but for names', async () => {
    const search = await open();
    expect((await asked(search, 'pdf f'))[0]).toBe('pdf-forms');
    expect(await asked(search, 'pdf x', { ranking: 'words' })).toEqual(
      await asked(search, 'pdf', { ranking: 'words', asTyped: false }),
    );
  });

  test('finds by keywords what has the word or goes on with it, names and whole words first', async () => {
    const search = await open();
    const found = (q: string, asTyped = true): string[] =>
      search.keyword({ q, asTyped }).hits.map(({ skill }) => skill.name);
    expect(found('react')).toEqual(['react', 'react-native', 'reaction-timer']);
    expect(found('react', false)).not.toContain('reaction-timer');
    expect(found('docke')[0]).toBe('docker');
    expect(found('docke', false)).toEqual(['dock-crane']);
    expect(found('pdf f')[0]).toBe('pdf-forms');
    // The word before is done.
    expect(found('react re')).toEqual(['react', 'react-native']);
  });
});

describe('misspelt words of a short question', () => {
  test.each(RANKINGS)('are read by %s as the nearest that skills have, and the answer says so', async (ranking) => {
    const search = await open();
    const { corrected, ...answer } = await search.semantic({ q: 'kuberntes depoly', ranking });
    expect(corrected).toEqual([
      { asked: 'kuberntes', read: ['kubernetes'] },
      { asked: 'depoly', read: ['deploy'] },
    ]);
    const right = await search.semantic({ q: 'kubernetes deploy', ranking });
    expect(right).not.toHaveProperty('corrected');
    expect(answer.hits.map(({ score }) => score)).toEqual(right.hits.map(({ score }) => score));
  });

  test.each([
    ['where that is not wanted', 'kuberntes', { corrections: false }],
    ['that are words of English', 'gift', {}],
    ['of a long question', 'how can I see what my kuberntes cluster has done', {}],
    ['that somebody is typing, and that go on', 'kubernete', { asTyped: true }],
    ['in another language', 'kuberntes Rechnung schreiben', {}],
  ])('stay %s', async (_, q, more) => {
    expect(await (await open()).semantic({ q, ...more })).not.toHaveProperty('corrected');
    if ('corrections' in more) expect((await open()).keyword({ q, ...more }).hits).toEqual([]);
  });
});

test('a word that is cut at the end of an excerpt is none', async () => {
  const cut = `${'x '.repeat(97)}docker`;
  const skills = [row('cut', { description: cut }), row('whole', { description: `${cut}.` })];
  const search = await opened({ skills });
  expect(cut).toHaveLength(200);
  expect(search.keyword({ q: 'docker' }).hits.map(({ skill }) => skill.id)).toEqual(['whole']);
});
