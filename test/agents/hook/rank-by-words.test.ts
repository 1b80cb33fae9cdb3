import { describe, expect, test } from 'vitest';
import { rankByWords } from '../../../src/agents/hook/rank-by-words.js';
import { openSkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';

const SKILLS = [
  row('soup', {
    name: 'soup',
    description: 'A guide to recipes and cooking of meals with vegetables for the kitchen.',
  }),
  row('soup-copy', {
    name: 'soup',
    description: 'A guide to recipes and cooking of meals with vegetables for the kitchen.',
  }),
  row('network', {
    name: 'network',
    description: 'A guide that configures routers, switches and the firewall for a network.',
  }),
  row('tax', { name: 'tax', description: 'A guide that prepares tax returns and forms for accounting.' }),
];

describe('skills ranked by the words of a prompt', () => {
  const ranked = async (prompt: string, limit = 100): Promise<string[]> => {
    await using search = await openSkillSearch({ skills: SKILLS });
    return rankByWords(prompt, catalogueSearchOf(search).wordCandidates({ q: prompt }, limit)).map(
      ({ skill }) => skill.name,
    );
  };

  test('come in the order of what the words mean, where all have the same of them', async () => {
    expect((await ranked('guide to what we eat for dinner'))[0]).toBe('soup');
    expect((await ranked('guide to internet and wifi'))[0]).toBe('network');
  });

  test('are none that has no word of it', async () => {
    expect(await ranked('vegetables')).toEqual(['soup']);
    expect(await ranked('xylophone')).toEqual([]);
  });

  test('stand for their copies, whose ids they name', async () => {
    await using search = await openSkillSearch({ skills: SKILLS });
    const [soup, ...others] = catalogueSearchOf(search).wordCandidates({ q: 'vegetables' }, 100);
    expect(others).toEqual([]);
    expect([...soup!.copies()].sort()).toEqual(['soup', 'soup-copy']);
  });
});
