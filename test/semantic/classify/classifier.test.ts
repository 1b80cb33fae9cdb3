import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Classifier, type ClassifierData, readClassifier, skillTerms } from '../../../src/semantic/classifier.js';
import { chooseModel, type Embedder, embeddedText } from '../../../src/semantic/index.js';

const DATA: ClassifierData = {
  rules: 'of this test',
  model: 'of this test',
  dimensions: 2,
  categories: ['north', 'east', 'words', 'never', 'south'],
  biases: [0, 0, -1, -9, 0],
  thresholds: [0.6, 0.6, 0.6, 0.9, 0.6],
  vectorWeights: Float32Array.of(0, 2, 4, 0, 0, 0, 0, 0, 0, -2),
  terms: ['bake', 'bread'],
  rarities: [3, 4],
  // By term: the third category alone reads words.
  termWeights: Int8Array.of(0, 0, 100, 0, 0, 0, 0, 50, 0, 0),
  termScales: [1, 1, 0.05, 1, 1],
};

describe('the classifier', () => {
  const classifier = new Classifier(DATA);

  test('gives the categories whose probability reaches their threshold, the likeliest first', () => {
    expect(classifier.classify('', '', Float32Array.of(0, 1))).toEqual(['north']);
    expect(classifier.classify('', '', Float32Array.of(0.7, 0.7))).toEqual(['east', 'north']);
    expect(classifier.classify('', '', Float32Array.of(0, 0))).toEqual([]);
  });

  test('weighs terms by their rarity, at unit length, and those of the name more', () => {
    const none = Float32Array.of(0, 0);
    // 5 - 1 for the one term alone, whatever its rarity.
    expect(classifier.classify('', 'Baking', none)).toEqual(['words']);
    expect(classifier.classify('', 'unknown text', none)).toEqual([]);
    // Shares: bake 3 of 5, bread 4 of 5, so 5 * 0.6 + 2.5 * 0.8 - 1.
    expect(classifier.classify('', 'bake bread', none)).toEqual(['words']);
    expect([...skillTerms('bake-bread', 'Bakes. Cakes')]).toEqual([
      ['bake', 1.5],
      ['bread', 1.5],
      ['bakebread', 1.5],
      ['cake', 1],
    ]);
  });

  test('gives at most three', () => {
    const eager = new Classifier({ ...DATA, biases: [1, 2, 3, 4, 5] });
    expect(eager.classify('', '', Float32Array.of(0, 0))).toEqual(['south', 'never', 'words']);
  });
});

describe('the weights that the library brings', () => {
  let embedder: Embedder;
  const model = chooseModel({});

  beforeAll(async () => {
    embedder = await (await model).start(1);
  });
  afterAll(async () => (await model).stop(embedder));

  test('belong to the bundled model and to the categories of the taxonomy, and are small', async () => {
    const groups = JSON.parse(readFileSync('data/categories.json', 'utf8')) as { categories: { slug: string }[] }[];
    const slugs = groups.flatMap(({ categories }) => categories.map(({ slug }) => slug));
    const table = JSON.parse(readFileSync('data/classifier.json', 'utf8')) as ClassifierData;

    expect(table.categories).toEqual(slugs);
    expect(readClassifier().model).toBe((await model).id);
    expect(statSync('data/classifier.json').size + statSync('data/classifier.bin').size).toBeLessThan(500_000);
  });

  // Written for this test.
  test.each([
    ['testing', 'pytest-helper', 'Write unit tests with pytest: fixtures, mocks, parametrised cases and coverage.'],
    [
      'git-workflows',
      'commit-writer',
      'Write conventional commit messages from the staged diff and open a pull request.',
    ],
    ['security', 'secret-scanner', 'Audit a code base for vulnerabilities, leaked secrets and unsafe dependencies.'],
    ['frontend', 'react-components', 'Build accessible React components with hooks, TypeScript and Tailwind CSS.'],
    ['machine-learning', 'train-models', 'Train and evaluate neural networks with PyTorch, and track experiments.'],
  ])('find %s for a skill that is about it', async (category, name, description) => {
    const [vector] = await embedder.embed([embeddedText(name, description)], { purpose: 'document' });
    expect(readClassifier().classify(name, description, vector!)).toContain(category);
  });

  test('find nothing for a skill that says nothing', async () => {
    for (const [name, description] of [
      ['thing', 'Does it.'],
      ['helper', 'A useful skill.'],
    ] as const) {
      const [vector] = await embedder.embed([embeddedText(name, description)], { purpose: 'document' });
      expect(readClassifier().classify(name, description, vector!)).toEqual([]);
    }
  });
});
