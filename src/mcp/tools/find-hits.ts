import {
  countCodePoints,
  isBusy,
  isWithoutMeaning,
  MAX_KEYWORD_QUERY_LENGTH,
  SkillSearchError,
} from '../../core/index.js';
import type { Skill, SkillFilters } from '../../index.js';
import { type ToolContext, ToolFault } from './tool.js';

/** The ways to search; the first is the default. */
export const WAYS = ['both', 'words', 'meaning'] as const;
type Way = (typeof WAYS)[number];

/** What is searched for. */
export interface Question {
  readonly query: string;
  readonly by: Way;
  readonly filters: SkillFilters;
  readonly limit: number;
}

/** What was found. */
export interface Found {
  /** How was searched. */
  readonly by: Way;
  readonly hits: readonly { readonly skill: Skill; readonly score?: number }[];
  /** False if nothing fits well, or nothing was found. */
  readonly confident: boolean;
  /** All matching skills, where that is known. */
  readonly total?: number;
  /** Said before the hits, the most important first. */
  readonly remarks: readonly string[];
}

const NOTHING_FITS =
  'Nothing in this catalogue fits the request well. What follows is only the nearest: do not use it unless it truly fits.';
const SOME_WORDS = 'No skill has all of the words. What follows has some of them: check that it fits before using it.';

/** The arguments that the library calls otherwise, by its name. */
const ARGUMENT_OF: Readonly<Record<string, string>> = {
  q: 'query',
  minStars: 'min_stars',
  updatedAfter: 'updated_after',
};

/**
 * Searches as asked, or by words where meaning is not available and was not the only wish.
 *
 * @throws {ToolFault} if the query is empty or too long, or a filter is none
 */
export async function findHits(question: Question, context: ToolContext): Promise<Found> {
  try {
    return await findAsAsked(question, context);
  } catch (error) {
    const name = error instanceof SkillSearchError ? ARGUMENT_OF[error.parameter ?? ''] : undefined;
    if (!(error instanceof SkillSearchError) || name === undefined) throw error;
    const fault = error.message.replace(/^\w+ /, 'it ');
    throw new ToolFault(`The argument ${name} is wrong: ${fault}. Correct it and call again.`);
  }
}

async function findAsAsked(question: Question, context: ToolContext): Promise<Found> {
  const { by } = question;
  if (by === 'words') return findByWords(question, context);
  if (!context.meaning) return withoutMeaning(question, context, context.withoutMeaning);
  try {
    return await findByMeaning(question, context, by === 'meaning' ? 'vector' : 'hybrid');
  } catch (error) {
    if (!isWithoutMeaning(error) && !isBusy(error)) throw error;
    return withoutMeaning(question, context, context.tellError(error).message);
  }
}

async function withoutMeaning(question: Question, context: ToolContext, reason: string): Promise<Found> {
  if (question.by === 'meaning') {
    throw new ToolFault(`Searching by meaning is not available: ${reason}. Call again with by: "words".`);
  }
  const found = await findByMeaning(question, context, 'words');
  return { ...found, remarks: [...found.remarks, `Searched by words only: ${reason}.`] };
}

async function findByWords(question: Question, context: ToolContext): Promise<Found> {
  const { query, filters, limit } = question;
  if (countCodePoints(query.slice(0, 2 * MAX_KEYWORD_QUERY_LENGTH + 2).trim()) > MAX_KEYWORD_QUERY_LENGTH) {
    return findByMeaning(question, context, 'words');
  }
  const asked = { q: query, ...filters, limit };
  const { hits, step, pagination, truncated } = context.search.keyword(asked);
  const loose = step === 'some-words';
  const remarks = hits.length === 0 ? [nothingFound(question)] : loose ? [SOME_WORDS] : [];
  if (truncated === true) remarks.push(TRUNCATED);
  if (pagination.total > hits.length) remarks.push(`${hits.length} of ${pagination.total} skills that match.`);
  return { by: 'words', hits, confident: hits.length > 0 && !loose, total: pagination.total, remarks };
}

async function findByMeaning(
  question: Question,
  { search, signal, longestWait }: ToolContext,
  ranking: 'hybrid' | 'vector' | 'words',
): Promise<Found> {
  const { query, filters, limit } = question;
  const asked = { q: query, ...filters, limit, ranking };
  const { hits, confident, truncated } = await search.semantic(asked, { signal, longestWait });
  const remarks = hits.length === 0 ? [nothingFound(question)] : confident ? [] : [NOTHING_FITS];
  if (truncated === true) remarks.push(TRUNCATED);
  return { by: BY[ranking], hits, confident: confident && hits.length > 0, remarks };
}

const BY = { hybrid: 'both', vector: 'meaning', words: 'words' } as const;

const TRUNCATED = 'The question was too costly to finish: its most frequent words did not count.';

function nothingFound({ by, filters }: Question): string {
  // What a model may call is what it gets unless it asks for the others.
  const given = Object.entries(filters).filter(
    ([name, value]) => value !== undefined && !(name === 'invocable' && value === true),
  );
  const names = given.map(([name]) => ARGUMENT_OF[name] ?? name).join(', ');
  const hasSlugs = filters.category !== undefined || filters.occupation !== undefined;
  const advice = [
    ...(given.length > 0 ? [`leave out ${names}${hasSlugs ? ' (list_categories has the slugs)' : ''}`] : []),
    ...(by === 'words' ? ['search by: "both"'] : []),
    'use other or fewer words',
  ];
  return `Nothing was found. You may ${advice.join(', or ')}.`;
}
