import type { Skill } from './skill.js';

/**
 * What decides in a semantic search; the first is the default:
 *
 * - `hybrid`: meaning and words
 * - `vector`: meaning alone, the cosine of question and skill
 * - `words`: words alone, by BM25; needs no model
 */
export const RANKINGS = ['hybrid', 'vector', 'words'] as const;
export type Ranking = (typeof RANKINGS)[number];

/**
 * The six steps of a keyword search. The first that finds a skill gives the answer:
 *
 * 1. `all-words`: skills with every word, exactly or by its stem, in name, author, labels or description
 * 2. `file-text`: also in the text of the files
 * 3. `prefix`: also with the last word as the beginning of a longer one; in place of the first two with `asTyped`
 * 4. `typo`: also with words one or two edits away, in place of words that occur nowhere in the catalogue
 * 5. `translated`: skills with the English words for a question in another language: with all of them, else with at
 *   least half, weighted by idf
 * 6. `some-words`: skills with at least half of the words, weighted by idf
 */

export type KeywordStep = 'all-words' | 'file-text' | 'prefix' | 'typo' | 'translated' | 'some-words';

/** The terms of a skill that match the question, in lower case, by field. A field without any is absent. */
export interface MatchedTerms {
  readonly name?: readonly string[];
  readonly author?: readonly string[];
  /** Categories, occupations and tags. */
  readonly labels?: readonly string[];
  readonly description?: readonly string[];
  /** Text of the files; absent from an answer of the step `all-words`, which does not search files. */
  readonly files?: readonly string[];
}

/**
 * A piece of a skill's text that shows why it was found. White space and control characters are single spaces in it.
 */
export interface Snippet {
  readonly field: 'description' | 'files';
  /** The name of the file; only if `field` is `files`. */
  readonly filename?: string;
  readonly text: string;
  /** Where the matched words stand: pairs for `text.slice(start, end)`, ascending, without overlap. */
  readonly highlights: readonly (readonly [start: number, end: number])[];
}

/** A skill that a keyword search found. */
export interface KeywordHit {
  readonly skill: Skill;
  /** Above 0, at most 1; comparable within one answer only. Absent unless sorted by relevance. */
  readonly score?: number;
  /** Which terms matched, by field. Computed when first read; works after the search is closed. */
  readonly matches: MatchedTerms;
  /** Computed when first read; works after the search is closed. */
  readonly snippet: Snippet;
  /** How many matching skills this hit stands for, itself included; 1 unless copies are collapsed. */
  readonly copies: number;
}

/** Which part of an answer a page shows. */
export interface Pagination {
  /** The number of this page, from 1. */
  readonly page: number;
  /** Hits on a full page. */
  readonly limit: number;
  /**
   * Exact number of hits on all pages, or at most that if the answer is `truncated`. Copies count once if they are
   * collapsed.
   */
  readonly total: number;
  /** `ceil(total / limit)`; 0 if nothing matches. */
  readonly totalPages: number;
}

/** A row that could not become a skill. */
export interface RejectedRow {
  /** The source; for a folder, with the path of the file inside it. */
  readonly origin: string;
  /** Line of the row, from 1; absent if the source has no lines. */
  readonly line?: number;
  readonly reason: string;
}

/** Something that was corrected or left out. */
export interface LoadWarning {
  readonly origin: string;
  readonly line?: number;
  readonly message: string;
}

/** Problems of the rows of a load. */
export interface RowProblems {
  readonly rejected: readonly RejectedRow[];
  readonly warnings: readonly LoadWarning[];
}

/** A skill of which something that is stored is damaged. Loading its source again mends it. */
export interface DamagedSkill {
  /** Absent if it cannot be read. */
  readonly id?: string;
  /** What that means for the answer. */
  readonly reason: string;
}

/** What the skills of an answer can be counted by. */
export const FACETS = ['category', 'occupation', 'author', 'license', 'agent', 'scope'] as const;
export type Facet = (typeof FACETS)[number];

/** A value of a facet, and how many skills of an answer have it. */
export interface FacetCount {
  /** A slug; of `author` and `license` the text as that skill of the catalogue has it that was updated last. */
  readonly value: string;
  /** The `total` of the same answer with this value as a further filter, unless the answer is `truncated`. */
  readonly count: number;
}

/**
 * The counts of an answer by facet: the most frequent value first, then by value in code-point order, without regard to
 * upper and lower case; of each facet at most 100 values. A skill without a value counts nowhere, nor does the author
 * `unknown`; a skill with several values counts for each.
 */
export type FacetCounts = Readonly<Partial<Record<Facet, readonly FacetCount[]>>>;

/** How a word that occurs nowhere in the catalogue was read. */
export interface CorrectedWord {
  /** The word of the question, as it was asked. */
  readonly asked: string;
  /**
   * The words of the catalogue that it was read as, lower case, with accents: those that skills of the answer have, the
   * one that most of them have first; at most five. By meaning one, the nearest.
   */
  readonly read: readonly string[];
}

/** How a part of a question in another language was read. */
export interface TranslatedWords {
  /** A word or phrase of the question, in lower case; of Chinese in simplified characters. */
  readonly asked: string;
  /** The English words that it was read as, with blanks between them. By the step `translated`, those it looked for. */
  readonly read: string;
}

/** The answer of `SkillSearch.keyword`. */
export interface KeywordResult {
  /** The step that found the skills; absent if nothing matches. */
  readonly step?: KeywordStep;
  /**
   * True if the question was too costly to finish: some skills or words were not looked at. Absent otherwise. Which
   * ones depends on the question and the catalogue only. `total` is a lower bound then; each hit is a true match.
   */
  readonly truncated?: true;
  readonly hits: readonly KeywordHit[];
  readonly pagination: Pagination;
  /** Only if the query names facets. */
  readonly facets?: FacetCounts;
  /** Only if the step is `typo`: the words that occur nowhere, and were read as others. */
  readonly corrected?: readonly CorrectedWord[];
  /** Only if the step is `translated`: what was read as other words. */
  readonly translated?: readonly TranslatedWords[];
  /**
   * Skills that this answer lacks, or may lack, because they are damaged; absent if there are none. The page is shorter
   * by those that would be on it.
   */
  readonly damaged?: readonly DamagedSkill[];
}

/** A skill of a list. */
export interface ListHit {
  readonly skill: Skill;
  /** How many skills that pass the filters this one stands for, itself included; 1 unless copies are collapsed. */
  readonly copies: number;
}

/** The answer of `SkillSearch.list`. */
export interface ListResult {
  readonly hits: readonly ListHit[];
  readonly pagination: Pagination;
  /** Only if the query names facets. */
  readonly facets?: FacetCounts;
  /** Skills that this page lacks because they are damaged; absent if there are none. */
  readonly damaged?: readonly DamagedSkill[];
}

/** A skill near another one. */
export interface SimilarSkill {
  readonly skill: Skill;
  /** Cosine of the vectors of the two skills: -1 to 1, falling from skill to skill. */
  readonly score: number;
  /** How many skills it stands for, itself included: copies are shown as one. */
  readonly copies: number;
}

/**
 * What a suggestion is: the name of a skill as people say it, what several names begin with, or the question with its
 * last word completed.
 */
export type SuggestionKind = 'name' | 'phrase' | 'word';

/** How a question may go on. */
export interface Suggestion {
  /** The whole question, completed. */
  readonly text: string;
  readonly kind: SuggestionKind;
  /** How many skills of the catalogue have this name, a name that begins so, or the completed word. */
  readonly count: number;
}

/** The fields of a skill that have a score of their own. */
export const SCORED_FIELDS = ['name', 'author', 'labels', 'description', 'files'] as const;
export type ScoredField = (typeof SCORED_FIELDS)[number];
/** For each field a number of at least 0. */
export type FieldScores = Readonly<Record<ScoredField, number>>;

/**
 * What the score of `ranking: 'hybrid'` is made of. All are from 0 to 1, except that cosines may be negative:
 *
 * - `cosine`: cosine of question and skill, times the share of the question that the model can read
 * - `sentence`: by how much the best sentence of the question is nearer than the whole; 0 if there is only one sentence
 * - `feedback`: cosine of the skill and the mean of the best skills of a first ranking, which is without this feature;
 *   times the share of these that has vectors
 * - `words`: BM25 over all fields, divided by its upper bound for this question
 * - `name`, `author`, `labels`, `description`, `files`: BM25 of one field, divided by the same bound
 * - `coverage`: share of the question's words that the skill has in any field, weighted by idf
 * - `fileText`: how much file text the skill has, from none (0) to 200 distinct terms or more (1)
 * - `stars`: stars of its repository on a logarithmic scale, from none (0) to 100,000 or more (1)
 */
export const RANKING_FEATURES = [
  'cosine',
  'sentence',
  'feedback',
  'words',
  'name',
  'author',
  'labels',
  'description',
  'files',
  'coverage',
  'fileText',
  'stars',
] as const;
export type RankingFeature = (typeof RANKING_FEATURES)[number];

/** What one feature adds to the score of a skill. */
export interface FeatureShare {
  readonly feature: RankingFeature;
  /** The value of the feature; see {@link RANKING_FEATURES}. */
  readonly value: number;
  /** What the value is multiplied by. The same for all skills, given the question and the catalogue. */
  readonly weight: number;
  /** `value * weight` as a share of the sum over all features, taken without signs: -1 to 1. */
  readonly share: number;
}

/** What uses for near questions did to a hit. */
export interface UsageEffect {
  /** How much they speak for it, 0 to 1. Its score is higher by that. */
  readonly strength: number;
  /** How many places it rose, 0 to 3. */
  readonly places: number;
}

/** How the score of a semantic hit came about. */
export interface ScoreParts {
  /** Cosine of question and skill, -1 to 1; absent if the skill has no vector, and with `ranking: 'words'`. */
  readonly cosine?: number;
  /** The greatest cosine of one of the question's sentences; only with `hybrid`, and if there are several sentences. */
  readonly sentence?: number;
  /** BM25 of the question's words by field, 0 or more; absent with `ranking: 'vector'`. */
  readonly bm25?: FieldScores;
  /** BM25 over all fields, divided by its upper bound for this question: 0 to 1; absent with `ranking: 'vector'`. */
  readonly words?: number;
  /**
   * Share of the question's words that the skill has in any field, weighted by idf: 0 to 1; absent with
   * `ranking: 'vector'`.
   */
  readonly coverage?: number;
  /** Every feature, the one with the greatest share first; only with `hybrid`. */
  readonly features?: readonly FeatureShare[];
  /**
   * What hits are ordered by. `hybrid`: the sum of the weighted features, and `evidence`; `vector`: `cosine`; `words`:
   * `words`.
   */
  readonly sum: number;
  /**
   * What else speaks for the skill, beside the one for which most does: the language of its description, its stars, its
   * owner, how complete its description is. 0 or less as a rule; only with `hybrid`.
   */
  readonly evidence?: number;
  /** Mean of the second to the tenth greatest sum. Copies count once. */
  readonly others: number;
  /** Probability that a first hit with this `sum` is useful, given `others`; 0 to 0.9. */
  readonly probability: number;
  /**
   * Whether the question is the skill's name (`exact`) or its first whole words (`beginning`). With `hybrid` such
   * skills come first, with scores from 0.99 and from 0.9.
   */
  readonly name: 'exact' | 'beginning' | 'other';
  /** Absent if it was not used for a near question; see `SkillSearch.used`. */
  readonly usage?: UsageEffect;
  /** Ids of the skill and its copies in the whole catalogue, in the order of `SkillSearch.copiesOf`; at most 100. */
  readonly copies: readonly string[];
}

/** A skill that a semantic search found. */
export interface SemanticHit {
  /** The file whose text matches the question's words best: `<skill id>/<filename>`. */
  readonly fileId: string;
  /** Path of that file inside the skill's folder. */
  readonly filename: string;
  /**
   * 0 to 1, falling from hit to hit. Scores of different questions can be compared if the model is the same.
   *
   * - `hybrid`: for the first hit the probability that it is useful; of a hundred first hits with 0.7 about seventy
   * are.
   * - `vector`: the cosine.
   * - `words`: BM25, divided by its upper bound for this question.
   */
  readonly score: number;
  readonly skill: Skill;
  /** Which terms matched, by field. Computed when first read; works after the search is closed. */
  readonly matches: MatchedTerms;
  /** Computed when first read; works after the search is closed. */
  readonly snippet: Snippet;
  /** How many skills that pass the filters this hit stands for, itself included; 1 unless copies are collapsed. */
  readonly copies: number;
  /** How the score came about; only if the query has `explain: true`. */
  readonly explain?: ScoreParts;
}

/** The answer of `SkillSearch.semantic`. */
export interface SemanticResult {
  readonly ranking: Ranking;
  /**
   * Id of the model that embedded the question; absent with `ranking: 'words'`. The vectors may be those of a former
   * version: `stats()` has its id.
   */
  readonly model?: string;
  /**
   * How many of the first hits are worth showing to somebody who asked for one skill: 0 to 3. Of judged requests that
   * no skill serves, about one in seven gets more than 0.
   */
  readonly worth: number;
  /** Whether any hit is: `worth` is more than 0. */
  readonly confident: boolean;
  /** Only for a short question: its words that occur nowhere, and were read as others. */
  readonly corrected?: readonly CorrectedWord[];
  /** Only for a question in another language: how its words were read in English, to look for these beside its own. */
  readonly translated?: readonly TranslatedWords[];
  /**
   * True if the question was too costly to finish: its most frequent words did not count. Absent otherwise. Which ones
   * depends on the question and the catalogue only.
   */
  readonly truncated?: true;
  /** Best first. */
  readonly hits: readonly SemanticHit[];
  /** Skills that this answer lacks, or may lack or misjudge, because they are damaged; absent if there are none. */
  readonly damaged?: readonly DamagedSkill[];
}

/** A category or occupation, and how many skills have it. */
export interface LabelCount {
  readonly slug: string;
  readonly count: number;
  /** To how many of these skills a classifier gave it; absent if to none. See `Skill.derivedCategories`. */
  readonly derived?: number;
}

/** An author, as the skill has the name that was updated last, and how many skills are of that author. */
export interface AuthorCount {
  readonly author: string;
  readonly count: number;
}

/** An agent, and how many skills were read from its folders. */
export interface AgentCount {
  readonly agent: string;
  readonly count: number;
}

/** Facts about a catalogue as a whole. */
export interface CatalogueStats {
  /** Number of skills. */
  readonly skills: number;
  /** Number of stored text files of all skills. */
  readonly files: number;
  /** Number of distinct categories. */
  readonly categories: number;
  /** Number of distinct occupations. */
  readonly occupations: number;
  /** The newest `updatedAt` of all skills, in Unix seconds; 0 for an empty catalogue. */
  readonly newest: number;
  /** Number of stored vectors. Skills with the same embedded texts share one. */
  readonly vectors: number;
  /** Id of the model that made the vectors; absent if there are none. */
  readonly model?: string;
  /** Number of skills that are known to be damaged, so that no search finds them; absent if there are none. */
  readonly damaged?: number;
  /**
   * When the catalogue was last written, in Unix seconds: its file by a load, a snapshot by the load that it was
   * written after, and one in PostgreSQL when its version was published. Absent for skills in memory.
   */
  readonly writtenAt?: number;
  /** Names the state of the catalogue. Every load that changes something gives it a new one. */
  readonly stamp: string;
  /** Of the local copy that answers; absent if the catalogue was opened by the path of its file. */
  readonly copy?: CopyStats;
}

/** What is known of the local copy of a snapshot, or of a catalogue in PostgreSQL. */
export interface CopyStats {
  /**
   * Which version of a catalogue in PostgreSQL answers: each load that changes something makes the next one. Absent for
   * a snapshot.
   */
  readonly version?: number;
  /**
   * When that version was published, by the clock of the database, in Unix seconds. Absent for a snapshot, and for a
   * copy of an earlier version of this library while the database is away.
   */
  readonly publishedAt?: number;
  /**
   * When the copy was last seen to be the newest state, in Unix seconds, by any process that follows it. Absent if that
   * never was.
   */
  readonly confirmedAt?: number;
}
