import { describe, expect, test } from 'vitest';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';

const SKILLS = [
  ['git-workflow', 'How a team works with git: branches, commits and worktrees'],
  ['git-worktrees', 'Several worktrees of one git repository'],
  ['kubernetes-deploy', 'Deploys a workload to Kubernetes, with the usual workflow'],
  ['PDF Forms', 'Fills forms'],
  ['pdf-forms', 'Reads forms'],
  ['数据分析', '分析数据'],
].map(([name, description], i) => row(`s-${i}`, { name: name as string, description: description as string }));

async function open({ place = 'memory' }: { place?: 'file' | 'memory' } = {}): Promise<SkillSearch> {
  return opened(place === 'file' ? { database: await catalogueOf(SKILLS) } : { skills: SKILLS });
}

const textsOf = (search: SkillSearch, text: string, limit?: number): string[] =>
  search.suggest(text, { limit }).map((suggestion) => `${suggestion.kind} ${suggestion.text}`);

describe.each(['file', 'memory'] as const)('suggestions of skills in a %s', (place) => {
  test('are names as people say them, then the last word as skills have it together with those before', async () => {
    const search = await open({ place });
    expect(textsOf(search, 'git wor')).toEqual(['name git workflow', 'name git worktrees', 'word git works']);
    expect(textsOf(search, 'kubernetes wor')).toEqual(['word kubernetes workload', 'word kubernetes workflow']);
    // No skill has any of them with this word, and alone they are only words.
    for (const text of ['cobol wor', 'wor']) expect(textsOf(search, text)).toEqual([]);
    expect(search.suggest('pdf')).toEqual([{ text: 'PDF Forms', kind: 'name', count: 2 }]);
  });

  test('keep what was typed before the last word, and write that as people do', async () => {
    const search = await open({ place });
    expect(textsOf(search, '  My, GIT-WOR')).toContain('word My, GIT-worktrees');
    expect(textsOf(search, 'the "git workt')).toEqual(['word the "git worktrees']);
  });

  test('leave out what says nothing new: the text itself, small words, words said before, other forms', async () => {
    const search = await open({ place });
    expect(textsOf(search, 'git-workflow')).toEqual([]);
    expect(textsOf(search, 'th')).toEqual([]);
    expect(textsOf(search, 'worktrees worktre')).toEqual([]);
    expect(textsOf(search, 'reads form')).toEqual(['word reads forms']);
  });

  test('are names only where the last word is done, or its script has no spaces', async () => {
    const search = await open({ place });
    for (const text of ['git ', 'git,']) {
      expect(textsOf(search, text)).toEqual(['name git workflow', 'name git worktrees']);
    }
    expect(textsOf(search, '数据')).toEqual(['name 数据分析']);
  });

  test('are none for a text without letters, and for one that is longer than any question', async () => {
    const search = await open({ place });
    for (const text of ['', ' ', '"', '?!', '—', '"" ""', 'g'.repeat(10_000), `git ${'x '.repeat(120)}wor`]) {
      expect(search.suggest(text)).toEqual([]);
    }
    expect(textsOf(search, `${'git '.repeat(49)}work`)).not.toEqual([]);
  });

  test('are as many as asked for at most', async () => {
    const search = await open({ place });
    expect(textsOf(search, 'git wor', 1)).toEqual(['name git workflow']);
    expect(textsOf(search, 'g', 20)).toEqual(['name git workflow', 'name git worktrees']);
  });
});

describe('suggestions', () => {
  test('are what several names begin with, in one form, the most frequent first', async () => {
    const names = ['code-reviews-list', 'code_review:expert', 'code-to-pdf', 'code-to-png', 'code-golf', 'code-golfs'];
    await using search = await openSkillSearch({ skills: names.map((name, i) => row(`s-${i}`, { name })) });
    expect(search.suggest('cod', { limit: 2 })).toEqual([
      { text: 'code golf', kind: 'name', count: 2 },
      { text: 'code reviews', kind: 'phrase', count: 2 },
    ]);
    expect(textsOf(search, 'cod')).not.toContain('phrase code to');
    expect(textsOf(search, 'code reviews ')).toEqual(['name code reviews list']);
  });

  test('are those of the file that a load wrote, also after a load that changed some skills', async () => {
    const database = await catalogueOf(SKILLS.slice(1));
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: SKILLS }], semantic: false });
    await using file = await openSkillSearch({ database });
    const memory = await open();
    for (const text of ['g', 'git wor', 'pdf', 'k', '数', 'w'])
      expect(file.suggest(text)).toEqual(memory.suggest(text));
  });

  test('refuse a limit that is no integer from 1 to 20, and a text that is none', async () => {
    const search = await open();
    for (const limit of [0, 21, 1.5, '3']) {
      expect(await codeOf(() => search.suggest('git', { limit: limit as number }))).toBe('INVALID_OPTION');
    }
    expect(await codeOf(() => search.suggest(undefined as unknown as string))).toBe('INVALID_OPTION');
    expect(await codeOf(() => search.suggest('git', { top: 3 } as object))).toBe('INVALID_OPTION');
  });
});
