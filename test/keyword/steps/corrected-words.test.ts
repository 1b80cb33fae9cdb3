import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeywordDocument } from '../../../src/keyword/keyword-index.js';
import { readQuestion } from '../../../src/keyword/question.js';
import { catalogue, picks, questionFor } from '../arbitrary-catalogue.js';
import { INDEXES } from '../both-indexes.js';

describe.each(INDEXES)('%s says how it read words that occur nowhere', (_, build) => {
  const corrected = async (q: string, documents: readonly Partial<KeywordDocument>[]): Promise<unknown> => {
    const matches = (await build(documents)).match(readQuestion(q));
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

test('both indexes read misspelt words alike, whatever is in the catalogue', async () => {
  await fc.assert(
    fc.asyncProperty(catalogue, fc.array(picks, { minLength: 4, maxLength: 4 }), async (documents, questions) => {
      const [packed, reference] = await Promise.all(INDEXES.map(([, build]) => build(documents)));
      for (const wanted of questions) {
        const question = readQuestion(questionFor(documents, wanted));
        expect(packed?.match(question).corrected()).toEqual(reference?.match(question).corrected());
      }
    }),
    { numRuns: 60 },
  );
});
