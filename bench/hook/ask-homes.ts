import { join } from 'node:path';
import { type FitValues, type FitWay, fitValues, fitValuesByWords } from '../../src/agents/hook/fit-rule.js';
import { LOOKED_AT, rankByWords, readPromptQuestion } from '../../src/agents/hook/rank-prompt.js';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { embedOnce } from './embed-once.js';
import type { Outcome } from './fit-weights.js';
import { partsOfHome } from './parts-of-home.js';
import { type Half, type JudgedPrompt, promptsWithNeed, promptsWithoutNeed, tasksToFit } from './prompt-files.js';

const SHOWN = 5;
/** Sizes of the homes that are asked: the whole one, and smaller ones that it is parted into. */
const SIZES = [1000, 200, 50, 10];

/** The home of the graded requests, and the one that prompts were written for. */
export function homesIn(folder: string): readonly [first: string, second: string] {
  return [folder, join(folder, 'second')];
}

export interface Asked extends Omit<Outcome, 'values'>, Pick<JudgedPrompt, 'half' | 'language' | 'prompt'> {
  readonly home: 'first' | 'second';
  readonly way: FitWay;
  readonly values: Omit<FitValues, 'task'> | undefined;
  /** Whether a useful skill is among the first five. */
  readonly useful: boolean;
}

/** What the homes answered, and the vectors of all prompts by meaning, if that was asked for. */
export interface Answers {
  readonly asked: readonly Asked[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
  readonly model: string;
}

/** @param half the prompts that are asked; all by default */
export async function askHomes(folder: string, ways: readonly FitWay[], half?: Half): Promise<Answers> {
  const embedder = await embedOnce();
  const asked: Asked[] = [];
  const vectors: Record<string, readonly number[]> = {};
  for (const [place, home] of (['first', 'second'] as const).entries()) {
    const folderOfHome = homesIn(folder)[place]!;
    const all = [...promptsWithNeed(folderOfHome), ...promptsWithoutNeed()];
    const prompts = all.filter((prompt) => half === undefined || prompt.half === half);
    for (const parts of await partsOfHome(folderOfHome, SIZES, ways.includes('hybrid') ? embedder : undefined)) {
      for (const { database, ids } of parts) {
        await using search = await openSkillSearch({ database, embedder });
        for (const prompt of prompts) {
          const needed = prompt.relevant.length === 0 || prompt.relevant.some((id) => ids.has(id));
          if (!needed) continue;
          for (const way of ways) asked.push({ home, ...(await ask(search, prompt, way, 1 / parts.length)) });
        }
        if (!ways.includes('hybrid')) continue;
        for (const prompt of [...prompts.map((one) => one.prompt), ...tasksToFit()]) {
          if (vectors[prompt] !== undefined) continue;
          const q = readPromptQuestion(prompt)?.text;
          if (q === undefined) continue;
          const { vector } = await catalogueSearchOf(search).semanticWithVector({ q, limit: 1 });
          vectors[prompt] = [...vector!];
        }
      }
    }
  }
  await embedder.close?.();
  return { asked, vectors, model: embedder.model };
}

async function ask(
  search: SkillSearch,
  judged: JudgedPrompt,
  way: FitWay,
  share: number,
): Promise<Omit<Asked, 'home'>> {
  const { prompt, half, language, relevant, writer } = judged;
  const { skills } = search.stats();
  const needsSkill = relevant.length > 0;
  // A prompt is needed in the homes that have a skill for it: one of all, or two.
  const weight = needsSkill ? 1 : share;
  const told = {
    ...{ way, prompt, half, skills, needsSkill, weight },
    ...(language !== undefined && { language }),
    ...(writer !== undefined && { writer }),
  };
  const question = readPromptQuestion(prompt);
  if (question === undefined) return { ...told, values: undefined, useful: false };
  const isUseful = (id: string): boolean => relevant.includes(id);
  if (way === 'words') {
    const ranked = rankByWords(
      question.text,
      catalogueSearchOf(search).wordCandidates({ q: question.text }, LOOKED_AT),
    );
    const values = ranked.length === 0 ? undefined : fitValuesByWords(question, ranked);
    return { ...told, values, useful: ranked.slice(0, SHOWN).some(({ copies }) => copies().some(isUseful)) };
  }
  const { hits } = await search.semantic({ q: question.text, limit: SHOWN, explain: true });
  return {
    ...told,
    values: hits.length === 0 ? undefined : fitValues(question, hits),
    useful: hits.some(({ skill, explain }) => isUseful(skill.id) || explain!.copies.some(isUseful)),
  };
}
