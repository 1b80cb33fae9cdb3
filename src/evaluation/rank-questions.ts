import {
  checkChoice,
  checkOptions,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  namesOf,
} from '../core/index.js';
import { COPY_MODES, type CopyMode, type Ranking, type SkillSearch } from '../index.js';
import type { Question, RankedDocument } from './benchmark.js';

/**
 * How questions are answered: `bm25` by any of the words, `vector` by meaning, `hybrid` by both, `keyword` by a keyword
 * search in the order of relevance.
 */
export const EVALUATION_MODES = ['bm25', 'vector', 'hybrid', 'keyword'] as const;
/** One of {@link EVALUATION_MODES}. */
export type EvaluationMode = (typeof EVALUATION_MODES)[number];

const RANKING: Readonly<Record<Exclude<EvaluationMode, 'keyword'>, Ranking>> = {
  bm25: 'words',
  vector: 'vector',
  hybrid: 'hybrid',
};

/** The largest `depth` of rankings. */
export const MAX_DEPTH: number = MAX_SEMANTIC_LIMIT;

/** Options of {@link rankQuestions}. */
export interface RankOptions {
  /** How to answer. */
  readonly mode: EvaluationMode;
  /** Documents for each question, 1 to 100. @default 100 */
  readonly depth?: number | undefined;
  /** Whether each document has the parts of its score; never for `keyword`. @default false */
  readonly explain?: boolean | undefined;
  /** Whether copies are shown as one. @default 'keep' */
  readonly copies?: CopyMode | undefined;
  /** Stops the iteration when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS = namesOf<RankOptions>({ mode: true, depth: true, explain: true, copies: true, signal: true });

/**
 * Asks questions one after the other. A question that is too long is cut between two words: at 2,000 characters, for
 * `keyword` at 200. A question without a letter or digit finds nothing.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; also what the searches throw, such as `NO_VECTORS`
 * @throws the signal's reason when aborted
 * @example
 * import { openSkillSearch } from 'skill-discovery';
 * import { rankQuestions } from 'skill-discovery/evaluation';
 *
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * const questions = [{ id: 'q1', text: 'release notes from git' }];
 * for await (const [{ id }, documents] of rankQuestions(search, questions, { mode: 'hybrid', explain: true })) {
 *   for (const document of documents) console.log(id, document.id, document.explain);
 * }
 */
export async function* rankQuestions(
  search: SkillSearch,
  questions: Iterable<Question>,
  options: RankOptions,
): AsyncGenerator<readonly [Question, RankedDocument[]]> {
  for await (const { question, documents } of answerQuestions(search, questions, options)) yield [question, documents];
}

/** What a search says to a question. */
export interface Answer {
  readonly question: Question;
  /** Best first. */
  readonly documents: RankedDocument[];
  /** Whether the search says that the first document is likely to be useful; undefined where it does not say. */
  readonly confident: boolean | undefined;
}

/** As {@link rankQuestions}, with all that is known of an answer. */
export async function* answerQuestions(
  search: SkillSearch,
  questions: Iterable<Question>,
  options: RankOptions,
): AsyncGenerator<Answer> {
  checkOptions(options, OPTIONS);
  checkMode(options.mode);
  checkCopies(options.copies);
  const { signal } = options;
  for (const question of questions) {
    signal?.throwIfAborted();
    yield { question, ...(await answer(search, question.text, options)) };
  }
}

/** Whether answers in this mode say if they are confident. */
export function tellsConfidence(mode: EvaluationMode): boolean {
  return mode !== 'keyword';
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function checkMode(mode: unknown): void {
  checkChoice({ name: 'mode', code: 'INVALID_OPTION' }, mode ?? null, EVALUATION_MODES);
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function checkCopies(copies: unknown): void {
  checkChoice({ name: 'copies', code: 'INVALID_OPTION' }, copies, COPY_MODES);
}

async function answer(search: SkillSearch, text: string, options: RankOptions): Promise<Omit<Answer, 'question'>> {
  const { mode, depth = MAX_DEPTH, explain = false, copies = 'keep', signal } = options;
  const q = fitQuestion(text, mode);
  if (q === undefined) return { documents: [], confident: tellsConfidence(mode) ? false : undefined };
  if (mode === 'keyword') return { documents: rankByKeywords(search, q, depth, copies), confident: undefined };
  const ranking = RANKING[mode];
  const { hits, confident } = await search.semantic({ q, ranking, limit: depth, copies, explain }, { signal });
  const documents = hits.map((hit) => ({
    id: hit.skill.id,
    score: hit.score,
    ...(hit.explain === undefined ? {} : { explain: hit.explain }),
  }));
  return { documents, confident };
}

function rankByKeywords(search: SkillSearch, q: string, depth: number, copies: CopyMode): RankedDocument[] {
  const found: RankedDocument[] = [];
  for (let page = 1; found.length < depth; page++) {
    const { hits, pagination } = search.keyword({ q, page, limit: MAX_LIMIT, sortBy: 'relevance', copies });
    for (const { skill, score = 0 } of hits) found.push({ id: skill.id, score });
    if (page >= pagination.totalPages) break;
  }
  return found.slice(0, depth);
}

/** A question that a search accepts; undefined if nothing is left to ask. */
export function fitQuestion(text: string, mode: EvaluationMode): string | undefined {
  const max = mode === 'keyword' ? MAX_KEYWORD_QUERY_LENGTH : MAX_SEMANTIC_QUERY_LENGTH;
  const characters = Array.from(text.trim());
  const q = characters.length <= max ? text.trim() : cutBetweenWords(characters.slice(0, max + 1).join(''));
  return /[\p{L}\p{N}]/u.test(q) ? q : undefined;
}

/** Drops the last word; of a single word the last character. */
function cutBetweenWords(text: string): string {
  const cut = text.replace(/\s+\S*$/u, '');
  return cut === text || cut === '' ? Array.from(text).slice(0, -1).join('') : cut;
}
