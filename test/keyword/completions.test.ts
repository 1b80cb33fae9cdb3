import { describe, expect, test } from 'vitest';
import { type CompletionOptions, type KeywordDocument, readQuestion } from '../../src/keyword/index.js';
import { sourceOf } from './arbitrary-catalogue.js';
import { documentOf, INDEXES } from './build-indexes.js';

const ALL: CompletionOptions = { limit: 100, isLeftOut: () => false, words: [] };

describe.each(INDEXES)('%s completes', (_, buildOf) => {
  const build = (documents: readonly Partial<KeywordDocument>[]) =>
    buildOf(sourceOf(documents.map((one) => documentOf({ name: 'x', ...one }))));
  const words = async (letters: string, documents: readonly Partial<KeywordDocument>[]): Promise<string[]> =>
    (await build(documents)).wordsBeginning(letters, ALL).map(({ text, count }) => `${text} ${count}`);
  const names = async (text: string, given: readonly string[]): Promise<string[]> => {
    const index = await build(given.map((name) => ({ name })));
    return index.namesBeginning(text, 100).map((name) => `${name.text} ${name.count}`);
  };

  test('a word by those of names, labels and descriptions, the one that most skills have first', async () => {
    const documents = [
      { name: 'test-one', author: 'tessa', description: 'a Tester tests the test' },
      { labels: ['testing'], description: 'tester', files: [{ filename: 'a.md', text: 'testament' }] },
    ];
    expect(await words('tes', documents)).toEqual(['tester 2', 'test 1', 'testing 1', 'tests 1']);
    expect(await words('x', documents)).toEqual(['x 1']);
    expect(await words('zzz', documents)).toEqual([]);
  });

  test('a word in any accents, as it is written', async () => {
    const documents = [{ description: 'Résumé' }, { description: 'resume' }, { description: 'résumé' }];
    expect(await words('resu', documents)).toEqual(['résumé 2', 'resume 1']);
    expect(await words('résum', documents)).toEqual(['résumé 2', 'resume 1']);
  });

  test('no word by a compound, a number, a digest, a pair of characters or a word of many letters', async () => {
    const documents = [{ name: 'react-testing' }, { description: `2024 a1b2c3d4e5 数据分析 a${'b'.repeat(50)} k8s` }];
    expect(await words('react', documents)).toEqual(['react 1']);
    expect(await words('2', documents)).toEqual([]);
    expect(await words('a', documents)).toEqual([]);
    expect(await words('数', documents)).toEqual([]);
    expect(await words('k', documents)).toEqual(['k8s 1']);
  });

  test('a text by the names that begin with it, whatever their case, accents and punctuation', async () => {
    const given = ['pdf-forms', 'PDF Forms', 'PDF Forms', 'pdf', 'my-pdf', 'Café Pdf', '数据分析', ''];
    expect(await names('Pdf F', given)).toEqual(['PDF Forms 3']);
    expect(await names('pdf', given)).toEqual(['PDF Forms 3', 'pdf 1']);
    expect(await names('cafe', given)).toEqual(['Café Pdf 1']);
    expect(await names('数据', given)).toEqual(['数据分析 1']);
    expect(await names('', given)).toEqual([]);
    expect(await names('"-', given)).toEqual([]);
  });

  test('by names in an order that does not depend on that of the skills', async () => {
    const given = ['b-long', 'b-e', 'b-d', 'B d', 'b-c', 'b-c'];
    expect(await names('b', given)).toEqual(['b-c 2', 'B d 2', 'b-e 1', 'b-long 1']);
    expect(await names('b', given.toReversed())).toEqual(await names('b', given));
  });

  test('says how many skills have a word together with others', async () => {
    const index = await build([
      { name: 'git-workflow' },
      { name: 'git', author: 'ada', description: 'worktrees and a workflow' },
      { name: 'hg', description: 'worktrees' },
      { name: 'svn', description: 'workflow', files: [{ filename: 'a.md', text: 'git' }] },
    ]);
    const together = (question: string): string[] =>
      index
        .wordsBeginning('wor', { ...ALL, words: readQuestion(question).words })
        .map((word) => `${word.text} ${word.together}`);
    expect(together('git')).toEqual(['workflow 2', 'worktrees 1']);
    expect(together('git ada')).toEqual(['workflow 1', 'worktrees 1']);
    expect(together('cvs')).toEqual(['workflow 0', 'worktrees 0']);
  });
});

describe.each(INDEXES)('%s says how it read words that occur nowhere', (_, build) => {
  const corrected = async (q: string, documents: readonly Partial<KeywordDocument>[]): Promise<unknown> => {
    const matches = (await build(sourceOf(documents.map(documentOf)))).match(readQuestion(q));
    return [matches.step, matches.corrected()];
  };

  test('by the words that skills of the answer have, the one that most have first', async () => {
    const documents = [
      { name: 'kubernetes', description: 'cluster' },
      { name: 'x', description: 'Kubernetes in a cluster', files: [{ filename: 'a.md', text: 'kubernets' }] },
      { name: 'kubernetis' },
    ];
    expect(await corrected('Kuberntes', documents)).toEqual([
      'typo',
      [{ asked: 'Kuberntes', read: ['kubernetes', 'kubernetis', 'kubernets'] }],
    ]);
    // The third skill is no answer, so what only it has was not read.
    expect(await corrected('clustre kuberntes', documents)).toEqual([
      'typo',
      [
        { asked: 'clustre', read: ['cluster'] },
        { asked: 'kuberntes', read: ['kubernetes', 'kubernets'] },
      ],
    ]);
  });

  test('as they are written, with accents', async () => {
    expect(await corrected('Résmué', [{ name: 'Résumé' }])).toEqual(['typo', [{ asked: 'Résmué', read: ['résumé'] }]]);
  });

  test('by five words at most', async () => {
    const names = ['cart', 'card', 'care', 'carp', 'cars', 'cary', 'carb'];
    const documents = names.map((name) => ({ name }));
    expect(await corrected('carx', documents)).toEqual([
      'typo',
      [{ asked: 'carx', read: ['carb', 'card', 'care', 'carp', 'cars'] }],
    ]);
  });

  test('and nothing where another step answers', async () => {
    const documents = [{ name: 'react', files: [{ filename: 'a.md', text: 'snapshots' }] }, { name: 'rust' }];
    expect(await corrected('react', documents)).toEqual(['all-words', []]);
    expect(await corrected('snapshot', documents)).toEqual(['file-text', []]);
    expect(await corrected('snap', documents)).toEqual(['prefix', []]);
    // No skill has both, so nothing was read as another word.
    expect(await corrected('rust snapshost', documents)).toEqual(['some-words', []]);
    expect(await corrected('zzzzzz', documents)).toEqual([undefined, []]);
  });
});
