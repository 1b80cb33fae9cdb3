import { describe, expect, test } from 'vitest';
import {
  boundFor,
  FIT_FEATURES,
  fits,
  fitsByWords,
  fitValues,
  fitValuesByWords,
} from '../../../src/agents/hook/fit-rule.js';
import { readPromptQuestion } from '../../../src/agents/hook/prompt-question.js';
import { rankByWords } from '../../../src/agents/hook/rank-by-words.js';
import { openSkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';

const SKILLS = [
  row('pdf-forms', { name: 'pdf-forms', description: 'Fills in PDF forms from a folder, such as invoices.' }),
  row('release-notes', { name: 'release-notes', description: 'Turns the git history into a changelog.' }),
  ...Array.from({ length: 40 }, (_, i) => row(`other-${i}`, { description: `Other matter number ${i}.` })),
];

describe('the rule by words', () => {
  const shown = async (prompt: string): Promise<boolean> => {
    await using search = await openSkillSearch({ skills: SKILLS });
    const question = readPromptQuestion(prompt)!;
    const ranked = rankByWords(question.text, catalogueSearchOf(search).wordCandidates({ q: question.text }, 100));
    return fitsByWords(question, ranked, SKILLS.length);
  };

  test('shows skills for a task that they are made for', async () => {
    expect(await shown('fill in PDF forms from a folder of invoices: names, dates and amounts')).toBe(true);
  });

  test('is silent for answers, remarks, code and tasks that no skill is for', async () => {
    for (const prompt of [
      'yes, do that',
      'thanks!',
      'now do the same for the other folder please',
      'why is `forms[0].name` undefined in src/pdf.ts:12?',
      'plan a vegetable garden with tomatoes, beans and lettuce for spring and summer',
    ]) {
      expect(await shown(prompt), prompt).toBe(false);
    }
  });

  test('is silent where nothing is found', () => {
    const question = readPromptQuestion('anything at all')!;
    expect(fits(question, { ranking: 'hybrid', confident: false, hits: [] }, undefined, 1)).toBe(false);
    expect(fitsByWords(question, [], 1)).toBe(false);
  });
});

describe('the values of a prompt', () => {
  test('are numbers, also where few skills are found', async () => {
    await using search = await openSkillSearch({ skills: SKILLS.slice(0, 1) });
    const question = readPromptQuestion('PDF forms\nand more')!;
    const { hits } = await search.semantic({ q: question.text, ranking: 'words', explain: true });
    const values = { ...fitValues(question, hits), task: 0 };
    for (const feature of FIT_FEATURES) expect(values[feature], feature).toSatisfy(Number.isFinite);
    expect(values).toMatchObject({ pasted: 1, sum: 0, cosine: 0, feedback: 0 });
    const ranked = rankByWords(question.text, catalogueSearchOf(search).wordCandidates({ q: question.text }, 100));
    const byWords = { ...fitValuesByWords(question, ranked), task: 0 };
    for (const feature of FIT_FEATURES) expect(byWords[feature], feature).toSatisfy(Number.isFinite);
    expect(byWords).toMatchObject({ pasted: 1, sum: ranked[0]!.sum, lead: ranked[0]!.sum, feedback: 0 });
  });
});

describe('the bound', () => {
  const bounds = [
    { skills: 50, bound: 1 },
    { skills: 200, bound: 3 },
    { skills: 800, bound: 4 },
  ];

  test('is that of its number of skills, between two of them on a line over the logarithm', () => {
    expect([1, 50, 100, 200, 400, 800, 1_000_000].map((skills) => boundFor({ bounds }, skills))).toEqual([
      1, 1, 2, 3, 3.5, 4, 4,
    ]);
  });
});
