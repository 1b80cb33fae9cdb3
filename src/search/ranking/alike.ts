import {
  authorKey,
  type DocumentNumber,
  foldCase,
  isPartKind,
  languageOf,
  type Pieces,
  readWords,
} from '../../core/index.js';
import type { Question } from '../../keyword/index.js';
import { type Skill, UNKNOWN } from '../../skill.js';
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

/** What is known of a skill, beside how well it answers. */
export interface SkillFacts {
  /** Of its description; ISO 639-1. */
  readonly language: string;
  /** Of its repository, in logarithms: 0 to 1; 0 for a skill that a project has for itself. */
  readonly stars: number;
  /** How long its description is, 0 to 1. */
  readonly description: number;
  /** The name without short numbers at its end, and without what stands between words: not `iso9001` for `iso27001`. */
  readonly name: string;
  readonly authorWords: readonly string[];
  /** Whether its name and description have the words of its author, too. */
  readonly saysAuthor: boolean;
  /** Its author, or else its repository; empty if nobody knows. */
  readonly owner: string;
  readonly repository: string;
}

/** Characters from which a description counts as full. */
const FULL_DESCRIPTION = 300;

/** So much of a description is read to tell its language, in UTF-16 units. */
const LANGUAGE_TEXT = 160;

/** A repository on any host, as far as the address shows it. */
const REPOSITORY = /^https?:\/\/[^/]+\/[^/]+\/[^/?#]+/i;

/**
 * A skill in a folder of an agent, such as `.claude/skills`: its stars are those of a project that has it for itself.
 * Readers find such skills useful the less often, the more stars there are.
 */
const FOR_ITSELF = /\/\.[^/]+\/(?:[^/]+\/)*skills\//i;

export function factsOf({ name, author, description, codehostUrl, stars }: Skill): SkillFacts {
  const nameWords = wordsOf(name);
  while (nameWords.length > 1 && /^\d{1,2}$/.test(nameWords.at(-1)!)) nameWords.pop();
  const authorWords = author === UNKNOWN ? [] : wordsOf(author);
  while (authorWords.length > 1 && KINDS_OF_AUTHOR.has(authorWords.at(-1)!)) authorWords.pop();
  const own = foldCase(`${name} ${description}`);
  const repository = foldCase(REPOSITORY.exec(codehostUrl)?.[0] ?? '');
  return {
    language: languageOf(description.slice(0, LANGUAGE_TEXT)).code,
    stars: FOR_ITSELF.test(codehostUrl) ? 0 : Math.min(1, Math.log1p(stars) / Math.log(MOST_STARS)),
    description: Math.min(1, description.length / FULL_DESCRIPTION),
    name: nameWords.join(''),
    authorWords,
    saysAuthor: authorWords.every((word) => own.includes(word)),
    owner: author === UNKNOWN ? repository : authorKey(author),
    repository,
  };
}

/** The last words of an author's name that only say what kind of author it is. */
const KINDS_OF_AUTHOR = new Set('ai cloud com community dev hq inc io labs official org skills team'.split(' '));

function wordsOf(text: string): string[] {
  return readWords(text).flatMap(({ term, kind }) => (isPartKind(kind) ? [term] : []));
}

/** Whether a question has all words of an author's name: `stripe` and `vercel-labs` for "deploy on vercel". */
function namesAuthor({ words }: Asker, { authorWords }: SkillFacts): boolean {
  return authorWords.length > 0 && authorWords.every((word) => words.has(word));
}

/**
 * Whether a question means the author of a skill: it has the whole name, and that says more than the skill's own words
 * do. The author of `stripe-webhooks` says nothing new to "stripe webhooks", nor does one called `code-bot` to "review
 * code".
 */
export function meansAuthor(asker: Asker, facts: SkillFacts): boolean {
  return namesAuthor(asker, facts) && !facts.saysAuthor;
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
  readonly stars: number;
  readonly description: number;
}

/** The values that {@link EvidenceWeights} are the weights of, 0 to 1. */
export function evidenceValues(facts: SkillFacts, asker: Asker): EvidenceWeights {
  const { language, stars, description } = facts;
  return {
    language: Number(language === asker.language),
    english: Number(language === 'en' && asker.language !== 'en'),
    owner: Number(namesAuthor(asker, facts)),
    stars,
    description,
  };
}

/** How much more evidence counts among skills whose name is the question: their words differ by chance. */
const EXACT_TIMES = 5;

/** How much it counts for questions in other languages: their sums lie closer together. */
const GLOSSED_TIMES = 0.6;

/** Longer questions say more by themselves. */
const SHORT_QUESTION = 4;

/** How many of the best are put in order by evidence, whatever the limit, or the first hit would depend on it. */
export const ARRANGED = 30;

/**
 * From this cosine on two skills of one name are one for whoever asks: translations, ports and versions by one author,
 * and what others have changed a little. Chosen by hand, by looking at 5,000 pairs of published skills.
 */
const [TWIN_OF_AUTHOR, TWIN_OF_ANYBODY] = [0.6, 0.9];

/** Of this many first hits, so many may be of one repository where others are as good. */
const [FIRST_HITS, MOST_OF_A_REPOSITORY] = [5, 2];

/** Sums that differ by less are as good: of two such skills readers find the lower one better nearly as often. */
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

interface Weighed extends Omit<Arranged, 'evidence'> {
  /** 2 for the language of the question, else 1 for English. */
  readonly language: number;
  /** Undefined for a damaged skill. */
  readonly facts: SkillFacts | undefined;
}

/**
 * Puts the best hits in the order in which people would rather see them: what speaks for a skill beside its words is
 * added to its sum, translations and ports of one skill are shown as one, in the language of the question if possible,
 * and one repository does not fill the first places.
 *
 * @param ordered the best hits by name and sum, {@link ARRANGED} at most
 * @param known undefined for a damaged skill, for which nothing speaks
 * @param cosineOf of two documents; undefined where one has no vector
 * @param folds whether twins are shown as one
 */
export function* arrangeAlike(
  ordered: readonly ScoredCandidate[],
  asker: Asker,
  known: (document: DocumentNumber) => SkillFacts | undefined,
  cosineOf: (a: DocumentNumber, b: DocumentNumber) => number | undefined,
  folds: boolean,
): Pieces<readonly Arranged[]> {
  const weights = rankingModel().evidence;
  const usual = (asker.language === 'en' ? 1 : GLOSSED_TIMES) * Math.min(1, SHORT_QUESTION / asker.length);
  const weighed: Weighed[] = [];
  for (const scored of ordered) {
    yield;
    const facts = known(scored.candidate.document);
    const values = facts && evidenceValues(facts, asker);
    const evidence = values === undefined ? 0 : usual * (isExact(scored) ? EXACT_TIMES : 1) * sumOf(weights, values);
    const language = values === undefined ? 0 : 2 * values.language + values.english;
    weighed.push({ scored, sum: scored.sum + evidence, twins: [], language, facts });
  }
  weighed.sort((a, b) => b.scored.nameRank - a.scored.nameRank || b.sum - a.sum);
  return spread(folds ? foldTwins(weighed, cosineOf) : weighed).map(inScale(weighed));
}

function sumOf(weights: EvidenceWeights, values: EvidenceWeights): number {
  const names = Object.keys(values) as (keyof EvidenceWeights)[];
  return names.reduce((sum, name) => sum + weights[name] * values[name], 0);
}

function foldTwins(weighed: readonly Weighed[], cosineOf: (a: number, b: number) => number | undefined): Weighed[] {
  const all: Weighed[][] = [];
  for (const hit of weighed) {
    const isTwin = ([first]: Weighed[]): boolean => {
      const [one, other] = [first!.facts, hit.facts];
      if (one === undefined || other === undefined || one.name === '' || one.name !== other.name) return false;
      const least = one.owner !== '' && one.owner === other.owner ? TWIN_OF_AUTHOR : TWIN_OF_ANYBODY;
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
    const isFull = ({ facts }: Weighed): boolean =>
      (facts?.repository ?? '') !== '' &&
      placed.filter((hit) => hit.facts?.repository === facts?.repository).length >= MOST_OF_A_REPOSITORY;
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
