import type { Ranking } from './query.js';
import type { Skill } from './skill.js';

/**
 * The five steps of a keyword search. The first that finds a skill answers:
 *
 * 1. `all-words`: every word, as it stands or by its stem, in name, author, labels or description
 * 2. `file-text`: the same with the text of the files
 * 3. `prefix`: the last word as the beginning of a word
 * 4. `typo`: words that occur nowhere replaced by words one or two edits away
 * 5. `some-words`: at least half of the weight (idf) of the words that occur at all
 */
export const KEYWORD_STEPS = ['all-words', 'file-text', 'prefix', 'typo', 'some-words'] as const;

export type KeywordStep = (typeof KEYWORD_STEPS)[number];

/** The terms (lower case) of a skill that answered the question, by field; a field without any is absent. */
export interface MatchedTerms {
  readonly name?: readonly string[];
  readonly author?: readonly string[];
  /** Categories and occupations. */
  readonly labels?: readonly string[];
  readonly description?: readonly string[];
  /** Text of the files; looked at from the second step on. */
  readonly files?: readonly string[];
}

/** A piece of a skill's text that shows why it was found. White space and control characters become single blanks. */
export interface Snippet {
  readonly field: 'description' | 'files';
  /** Which file, where `field` is `files`. */
  readonly filename?: string;
  readonly text: string;
  /** The matched words: [start, end) in UTF-16 units of `text`, ascending, not overlapping. */
  readonly highlights: readonly (readonly [start: number, end: number])[];
}

/** One skill of a keyword search. */
export interface KeywordHit {
  readonly skill: Skill;
  /** Above 0 and at most 1, comparable within one answer; only where sorted by relevance. */
  readonly score?: number;
  /** Which terms matched where. Worked out when it is first read, as `snippet` is. */
  readonly matches: MatchedTerms;
  readonly snippet: Snippet;
  /** How many of the matching skills are copies of this one, itself included; 1 unless copies are collapsed. */
  readonly copies: number;
}

export interface Pagination {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** Exact number of skills in all pages. */
  readonly total: number;
  /** `ceil(total / limit)`, 0 where nothing matches. */
  readonly totalPages: number;
}

export interface KeywordResult {
  /** Which step answered; absent where nothing matches. */
  readonly step?: KeywordStep;
  readonly hits: readonly KeywordHit[];
  readonly pagination: Pagination;
}

/** A keyword search without what explains its hits. */
export interface KeywordRecords {
  /** Which step answered; absent where nothing matches. */
  readonly step?: KeywordStep;
  /** Each skill as it is stored: the JSON text of an object with the eight fields of the specification, in its order. */
  readonly records: readonly string[];
  readonly pagination: Pagination;
}

/** The fields of a skill that are scored each on their own. */
export const SCORED_FIELDS = ['name', 'author', 'labels', 'description', 'files'] as const;
export type ScoredField = (typeof SCORED_FIELDS)[number];
/** A number of at least 0 for each field. */
export type FieldScores = Readonly<Record<ScoredField, number>>;

/**
 * What the score of `ranking: 'hybrid'` is made of:
 *
 * - `cosine` of question and skill, times the share of the question that the model reads
 * - `sentence`: how much nearer one sentence of the question is than the whole; 0 for a single sentence
 * - `words`: BM25 over all fields, of the most that the question could reach
 * - `name`, `author`, `labels`, `description`, `files`: BM25 of the field by itself, of the same
 * - `coverage`: share of the question's words that the skill has anywhere, rare ones counting more
 * - `fileText`: how full the skill's file text is, from none to some paragraphs
 */
export const RANKING_FEATURES = [
  'cosine',
  'sentence',
  'words',
  'name',
  'author',
  'labels',
  'description',
  'files',
  'coverage',
  'fileText',
] as const;
export type RankingFeature = (typeof RANKING_FEATURES)[number];

/** What one feature of a skill adds to its score. */
export interface FeatureShare {
  readonly feature: RankingFeature;
  /** 0 to 1; cosines may be below 0. */
  readonly value: number;
  /** What it is multiplied by, for this question to this catalogue. */
  readonly weight: number;
  /** Part of all that is added or taken away, -1 to 1. */
  readonly share: number;
}

/** How the score of a semantic hit came about. */
export interface ScoreParts {
  /** Cosine of question and skill, -1 to 1; absent where the skill has no vector or meaning does not count (`ranking: 'words'`). */
  readonly cosine?: number;
  /** The greatest cosine of one of the question's sentences, where it has several; of `hybrid` only. */
  readonly sentence?: number;
  /** BM25 of the question's words by field, 0 or more; absent where words do not count (`ranking: 'vector'`). */
  readonly bm25?: FieldScores;
  /** BM25 over all fields, of the most that the question could reach: 0 to 1. */
  readonly words?: number;
  /** Share of the question's words that the skill has anywhere, rare ones counting more: 0 to 1. */
  readonly coverage?: number;
  /** Every feature, what adds or takes most first; of `hybrid` only. */
  readonly features?: readonly FeatureShare[];
  /** What hits are put in order by: by both the weighted features, else the cosine or the share of words. */
  readonly sum: number;
  /** Mean of the second to the tenth greatest sum, copies taken for one. */
  readonly others: number;
  /** How likely a first hit of this sum, before these others, is right; 0 to 0.9. */
  readonly probability: number;
  /**
   * Whether the question is the skill's name, or its first whole words: such skills come first in `hybrid`, with scores from
   * 0.99 and 0.9 on.
   */
  readonly name: 'exact' | 'beginning' | 'other';
  /** Ids of the skill and all its copies in the catalogue, the one that is preferred first; 100 at most. */
  readonly copies: readonly string[];
}

/** One skill of a semantic search. */
export interface SemanticHit {
  /** The file whose text has the question's words best: `<skill id>/<filename>`. */
  readonly fileId: string;
  /** Path of that file inside the skill's folder. */
  readonly filename: string;
  /**
   * 0 to 1, falling from hit to hit, on one scale for all questions to one model. By `hybrid` the first hit's is the
   * probability that it is right: of a hundred first hits at 0.7 about seventy are. By `vector` it is the cosine, by `words`
   * the share of what the words could reach.
   */
  readonly score: number;
  readonly skill: Skill;
  /** Which terms matched where. */
  readonly matches: MatchedTerms;
  readonly snippet: Snippet;
  /** How many skills that the filters let pass are copies of this one, itself included; 1 unless copies are collapsed. */
  readonly copies: number;
  /** How the score came about, if asked for. */
  readonly explain?: ScoreParts;
}

export interface SemanticResult {
  readonly ranking: Ranking;
  /** Id of the model that read the question; absent where none did (`ranking: 'words'`). */
  readonly model?: string;
  /**
   * False where nothing here fits: of questions that a catalogue answers with the first hit, about one in twenty at most is
   * told so wrongly.
   */
  readonly confident: boolean;
  /** Best first. */
  readonly hits: readonly SemanticHit[];
}

/** A label and how many skills have it. */
export interface LabelCount {
  readonly slug: string;
  readonly count: number;
}

export interface CatalogueStats {
  readonly skills: number;
  readonly files: number;
  readonly categories: number;
  readonly occupations: number;
  /** Newest `updatedAt` of all skills, Unix seconds; 0 for an empty catalogue. */
  readonly newest: number;
  /** Distinct texts that have a vector, and the model that made them; 0 and absent where there are none. */
  readonly vectors: number;
  readonly model?: string;
  /** Identifies this state of the catalogue; another after every load that changed something. */
  readonly stamp: string;
}
