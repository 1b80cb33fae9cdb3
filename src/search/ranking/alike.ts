import {
  authorKey,
  type DocumentNumber,
  isPartKind,
  languageOf,
  type Pieces,
  readWords,
  repositoryOf,
} from '../../core/index.js';
import type { Question } from '../../keyword/index.js';
import type { Skill } from '../../skill.js';
import { MOST_STARS, rankingModel } from './features.js';
import { isExact, type ScoredCandidate } from './hybrid.js';

/** What is known of whoever asks. */
export interface Asker {
  /** ISO 639-1. */
  readonly language: string;
  /** The words of the question, and of what it is in English. */
  readonly words: ReadonlySet<string>;
  /** How many words the question has; see `QuestionKind`. */
  readonly length: number;
}

export function askerOf(question: Question, gloss: Question | undefined): Asker {
  const words = [question, gloss].flatMap((one) => one?.looseWords ?? []).flatMap(({ terms }) => terms);
  const length = question.looseWords.reduce((sum, { weight }) => sum + weight, 0);
  return { language: question.language, words: new Set(words), length };
}

/** The last words of an author's name that only say what kind of author it is. */
const KINDS_OF_AUTHOR = new Set('ai cloud com community dev hq inc io labs official org skills team'.split(' '));

/** Whether a question has all words of an author's name: `stripe` and `vercel-labs` for "deploy on vercel". */
function namesAuthor({ words }: Asker, author: string): boolean {
  return authorWords(author).every((word) => words.has(word));
}

function authorWords(author: string): readonly string[] {
  const words = wordsOf(author);
  while (words.length > 1 && KINDS_OF_AUTHOR.has(words.at(-1)!)) words.pop();
  return words;
}

function wordsOf(text: string): string[] {
  return readWords(text).flatMap(({ term, kind }) => (isPartKind(kind) ? [term] : []));
}

/**
 * Whether a question means the author of a skill: it has the whole name, and that says more than the skill's own words
 * do. The author of `stripe-webhooks` says nothing new to "stripe webhooks", nor does one called `code-bot` to "review
 * code".
 */
export function meansAuthor(asker: Asker, { author, name, description }: Skill): boolean {
  if (!namesAuthor(asker, author)) return false;
  const own = new Set([...wordsOf(name), ...wordsOf(description)]);
  return !authorWords(author).every((word) => own.has(word));
}

/**
 * What speaks for a skill among others that answer as well, in units of the sum that hits are ordered by: fitted to
 * which of two equally useful skills readers would rather be shown (`bench/fit-preferences.ts`).
 */
export interface EvidenceWeights {
  /** It is described in the language of the question. */
  readonly language: number;
  /** It is in English, and the question is not. */
  readonly english: number;
  /** Its author has the name of what is asked for. */
  readonly owner: number;
  /** Stars of its repository in logarithms, 0 to 1. */
  readonly stars: number;
  /** How long its description is, from nothing to {@link FULL_DESCRIPTION}: 0 to 1. */
  readonly description: number;
}

/** Characters from which a description counts as full. */
const FULL_DESCRIPTION = 300;

/** So much of a description is read to tell its language, in UTF-16 units. */
const LANGUAGE_TEXT = 160;

/** The values that {@link EvidenceWeights} are the weights of, 0 to 1. */
export function evidenceValues(skill: Skill, asker: Asker): Record<keyof EvidenceWeights, number> {
  const language = languageOf(skill.description.slice(0, LANGUAGE_TEXT)).code;
  return {
    language: Number(language === asker.language),
    english: Number(language === 'en' && asker.language !== 'en'),
    owner: Number(namesAuthor(asker, skill.author)),
    stars: Math.min(1, Math.log1p(skill.stars) / Math.log(MOST_STARS)),
    description: Math.min(1, skill.description.length / FULL_DESCRIPTION),
  };
}

/** How much more evidence counts among skills whose name is the question: their words differ by chance. */
const EXACT_TIMES = 5;

/** How much it counts for questions in other languages: their sums lie closer together. */
const GLOSSED_TIMES = 0.6;

/** Longer questions say more by themselves. */
const SHORT_QUESTION = 4;

/** How many of the best are put in order by evidence, whatever the limit, or the first hit would depend on it. */
export const ARRANGED = 50;

/**
 * From this cosine on two skills of one name are one for whoever asks: translations, ports and versions by one author,
 * and what others have changed a little. Chosen by hand, by looking at 5,000 pairs of published skills.
 */
const [TWIN_OF_AUTHOR, TWIN_OF_ANYBODY] = [0.6, 0.9];

/** Of this many first hits, so many may be of one repository where others are as good. */
const [FIRST_HITS, MOST_OF_A_REPOSITORY] = [5, 2];

/** Sums that differ by less are as good: readers grade such skills alike as often as the other way round. */
const AS_GOOD = 0.3;

/** A hit in its place. */
export interface Arranged {
  readonly scored: ScoredCandidate;
  /** What hits of one kind of name are ordered by: never more than the best sum of these. */
  readonly sum: number;
  /** What of that is not the sum of features. */
  readonly evidence: number;
  /** Documents that are the same skill for whoever asks, and are not shown. */
  readonly twins: readonly DocumentNumber[];
}

interface Weighed extends Arranged {
  readonly twins: DocumentNumber[];
  readonly language: number;
  readonly repository: string;
  /** The name without numbers at its end. */
  readonly name: string;
  /** Whose it is; empty if nobody knows. */
  readonly owner: string;
}

/**
 * Puts the best hits in the order in which people would rather see them: what speaks for a skill beside its words is
 * added to its sum, translations and ports of one skill are shown as one, in the language of the question if possible,
 * and one repository does not fill the first places.
 *
 * @param ordered the best hits by name and sum, {@link ARRANGED} at most
 * @param skillOf undefined for a damaged skill, which stays where it is
 * @param cosineOf of two documents; undefined where one has no vector
 * @param folds whether twins are shown as one
 */
export function* arrangeAlike(
  ordered: readonly ScoredCandidate[],
  asker: Asker,
  skillOf: (document: DocumentNumber) => Skill | undefined,
  cosineOf: (a: DocumentNumber, b: DocumentNumber) => number | undefined,
  folds: boolean,
): Pieces<readonly Arranged[]> {
  const weights = rankingModel().evidence;
  const usual = (asker.language === 'en' ? 1 : GLOSSED_TIMES) * Math.min(1, SHORT_QUESTION / asker.length);
  const weighed: Weighed[] = [];
  for (const scored of ordered) {
    yield;
    const skill = skillOf(scored.candidate.document);
    const values = skill && evidenceValues(skill, asker);
    const evidence = values === undefined ? 0 : usual * (isExact(scored) ? EXACT_TIMES : 1) * sumOf(weights, values);
    const repository = (skill && repositoryOf(skill.codehostUrl)?.cloneUrl.toLowerCase()) ?? '';
    weighed.push({
      scored,
      sum: scored.sum + evidence,
      evidence,
      twins: [],
      language: values === undefined ? 0 : 2 * values.language + values.english,
      repository,
      name: skill === undefined ? '' : nameOf(skill),
      owner: skill === undefined || skill.author === 'unknown' ? repository : authorKey(skill.author),
    });
  }
  weighed.sort((a, b) => b.scored.nameRank - a.scored.nameRank || b.sum - a.sum);
  return spread(folds ? foldTwins(weighed, cosineOf) : weighed).map(inScale(weighed));
}

function sumOf(weights: EvidenceWeights, values: EvidenceWeights): number {
  const names = Object.keys(values) as (keyof EvidenceWeights)[];
  return names.reduce((sum, name) => sum + weights[name] * values[name], 0);
}

function nameOf({ name }: Skill): string {
  const words = wordsOf(name);
  while (words.length > 1 && /^\d+$/.test(words.at(-1)!)) words.pop();
  return words.join('');
}

function foldTwins(weighed: readonly Weighed[], cosineOf: (a: number, b: number) => number | undefined): Weighed[] {
  const all: Weighed[][] = [];
  for (const hit of weighed) {
    const isTwin = ([first]: Weighed[]): boolean => {
      if (hit.name === '' || first!.name !== hit.name) return false;
      const least = hit.owner !== '' && first!.owner === hit.owner ? TWIN_OF_AUTHOR : TWIN_OF_ANYBODY;
      return (cosineOf(first!.scored.candidate.document, hit.scored.candidate.document) ?? 0) >= least;
    };
    const family = all.find(isTwin);
    if (family === undefined) all.push([hit]);
    else family.push(hit);
  }
  return all.map((family) => {
    const shown = family.reduce((best, hit) => (hit.language > best.language ? hit : best));
    const twins = family.flatMap((hit) => (hit === shown ? [] : [hit.scored.candidate.document]));
    const { sum, scored } = family[0]!;
    return { ...shown, sum, scored: { ...shown.scored, nameRank: scored.nameRank }, twins };
  });
}

/** Moves a hit behind others that are as good, where its repository has enough of the first places. */
function spread(hits: readonly Weighed[]): Weighed[] {
  const left = [...hits];
  const placed: Weighed[] = [];
  while (placed.length < FIRST_HITS && left.length > 0) {
    const next = left[0]!;
    const isFull = ({ repository }: Weighed): boolean =>
      repository !== '' && placed.filter((hit) => hit.repository === repository).length >= MOST_OF_A_REPOSITORY;
    const isAsGood = (hit: Weighed): boolean =>
      hit.scored.nameRank === next.scored.nameRank && next.sum - hit.sum < AS_GOOD && !isFull(hit);
    const at = isFull(next) ? Math.max(0, left.findIndex(isAsGood)) : 0;
    placed.push(...left.splice(at, 1));
  }
  return [...placed, ...left];
}

/** Evidence says nothing of how likely a hit is: the first hit of each kind of name has the best sum of these. */
function inScale(weighed: readonly Weighed[]): (hit: Weighed) => Arranged {
  const [above, best] = [new Map<number, number>(), new Map<number, number>()];
  for (const { scored, sum } of weighed) {
    above.set(scored.nameRank, Math.max(sum, above.get(scored.nameRank) ?? sum));
    best.set(scored.nameRank, Math.max(scored.sum, best.get(scored.nameRank) ?? scored.sum));
  }
  return ({ scored, sum, twins }) => {
    const scaled = sum - above.get(scored.nameRank)! + best.get(scored.nameRank)!;
    return { scored, sum: scaled, evidence: scaled - scored.sum, twins };
  };
}
