import type { WordCandidate } from '../../search/index.js';
import { wordTable } from './word-table.js';

/** So many skills with words of a prompt are looked at: more would take longer than the search for them. */
export const LOOKED_AT = 120;

/**
 * How much each feature counts: what a listwise fit to the prompts of `bench/hook` found among the best 100 by words,
 * rounded.
 */
const WEIGHTS = { name: 0.23, description: 0.3, coverage: 10, cosine: 10 };

/** A skill with what it has of a prompt. */
export interface RankedByWords extends Omit<WordCandidate, 'fields'> {
  /** BM25 of its name and of its description. */
  readonly name: number;
  readonly description: number;
  /** Of the prompt with its name and description, by the {@link wordTable}: -1 to 1. */
  readonly cosine: number;
  /** By which it is ranked. */
  readonly sum: number;
}

/** So many vectors of skills are kept: a server is asked about the same ones again and again. Some 0.5 kB each. */
const KEPT = 5000;

/** By name and description. */
const vectorsOfSkills = new Map<string, Float32Array>();

/**
 * Ranks skills for a prompt, the best first. A prompt is longer than a question to a search and has many words that say
 * little, so what its words mean together counts, and file text does not.
 */
export function rankByWords(text: string, candidates: readonly WordCandidate[]): readonly RankedByWords[] {
  const asked = wordTable().vectorOf(text);
  const ranked = candidates.map(({ skill, fields, coverage, copies }): RankedByWords => {
    const { name, description } = fields;
    const own = vectorOfSkill(`${skill.name.replaceAll('-', ' ')}. ${skill.description}`);
    let cosine = 0;
    for (let i = 0; i < own.length; i++) cosine += asked[i]! * own[i]!;
    const sum =
      WEIGHTS.name * name + WEIGHTS.description * description + WEIGHTS.coverage * coverage + WEIGHTS.cosine * cosine;
    return { skill, copies, coverage, name, description, cosine, sum };
  });
  return ranked.sort((a, b) => b.sum - a.sum || (a.skill.id < b.skill.id ? -1 : 1));
}

function vectorOfSkill(text: string): Float32Array {
  const kept = vectorsOfSkills.get(text);
  if (kept !== undefined) return kept;
  const vector = wordTable().vectorOf(text);
  if (vectorsOfSkills.size === KEPT) vectorsOfSkills.clear();
  vectorsOfSkills.set(text, vector);
  return vector;
}
