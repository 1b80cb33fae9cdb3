import type { Skill } from '../../index.js';
import { oneLine } from './quoted.js';

/** Hits as they fit a number of tokens. */
export interface FittedHits {
  /** A line for each skill that fits. */
  readonly lines: readonly string[];
  /** Skills that do not fit. */
  readonly omitted: number;
}

/** Characters of a token, by and large. */
const CHARACTERS = 3;

// TODO: formatSkills of agents/ once it is there.
export function fitHits(
  hits: readonly { readonly skill: Skill; readonly uri: string }[],
  maxTokens?: number,
): FittedHits {
  let left = (maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS;
  const lines: string[] = [];
  for (const { skill, uri } of hits) {
    const line = `- ${oneLine(skill.name)} (${uri}): ${oneLine(skill.description)}`;
    if (line.length > left) break;
    left -= line.length;
    lines.push(line);
  }
  return { lines, omitted: hits.length - lines.length };
}
