import { MAX_KEYWORD_QUERY_LENGTH, MAX_LIMIT, MAX_NAME, MAX_PAGE, MAX_SEMANTIC_QUERY_LENGTH } from '../core/index.js';
import { SKILL_SCOPES } from '../index.js';
import { DEFAULT_LIMIT } from '../query.js';

/** The values of `sortBy` over HTTP; the first is the default. The library has also `relevance`. */
export const HTTP_SORT_ORDERS = ['recent', 'stars'] as const;

/** The most digits of an integer that is read, leading zeros aside: all such numbers are exact. */
export const MAX_DIGITS = 15;

/**
 * A parameter of an operation. The tables below are what query strings are read by, in which order faults are told, and
 * what the description of the API says of them.
 */
export type QueryParameter = {
  readonly name: string;
  /** One sentence or two, for the description of the API. */
  readonly about: string;
  readonly example: string | number | boolean;
  readonly required?: true;
} & (
  | {
      /** Text with a letter or a digit in it. Its length is counted without the white space around it. */
      readonly kind: 'question';
      /** In code points. */
      readonly longest: number;
    }
  | {
      /** Any text but blank ones. */
      readonly kind: 'text';
      /** In code points. */
      readonly longest: number;
    }
  /** Text that may be blank, and is read without the white space around it. */
  | { readonly kind: 'free text' }
  /** `[a-z0-9-]+` */
  | { readonly kind: 'slug' }
  | {
      /** Decimal digits. */
      readonly kind: 'integer';
      readonly least: number;
      /** Undefined for the largest number of {@link MAX_DIGITS} digits. */
      readonly most?: number;
      readonly default?: number;
      /** Whether a larger number is taken as the largest, for clients of the public service. */
      readonly cut?: 'compatible' | 'always';
    }
  | {
      /** One of a few words. */
      readonly kind: 'choice';
      readonly choices: readonly string[];
      /** What counts where the parameter is left out, if one of them does. */
      readonly default?: string;
    }
  /** `true` or `false` */
  | { readonly kind: 'flag' }
  /** A date or time as ISO 8601 has it, or Unix seconds in at most 11 decimal digits. */
  | { readonly kind: 'time' }
);

const OWN_FILTERS: readonly QueryParameter[] = [
  {
    name: 'author',
    kind: 'text',
    longest: MAX_NAME,
    about: 'The whole user name of an author, in upper or lower case.',
    example: 'octocat',
  },
  {
    name: 'license',
    kind: 'text',
    longest: MAX_NAME,
    about: 'The license as the skill states it, in upper or lower case.',
    example: 'MIT',
  },
  { name: 'minStars', kind: 'integer', least: 0, about: 'Fewest stars.', example: 10 },
  {
    name: 'updatedAfter',
    kind: 'time',
    about: 'Only skills that were updated at this time or later: a date (UTC), a time, or Unix seconds.',
    example: '2026-01-31',
  },
  {
    name: 'updatedBefore',
    kind: 'time',
    about: 'Only skills that were updated before this time: a date (UTC), a time, or Unix seconds.',
    example: '2026-06-30T12:00:00Z',
  },
  {
    name: 'agent',
    kind: 'slug',
    about: 'Only skills that were read from a folder of this agent. With `scope`, one installation must fit both.',
    example: 'claude-code',
  },
  {
    name: 'scope',
    kind: 'choice',
    choices: SKILL_SCOPES,
    about: 'Only skills that were read from a folder of this scope.',
    example: 'user',
  },
  {
    name: 'invocable',
    kind: 'flag',
    about: 'True: only skills that a model may call. False: only those that are left to users.',
    example: true,
  },
];

/** The parameters of `searchSkills`. The first faulty one in this order is reported. */
export const KEYWORD_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'q',
    kind: 'question',
    required: true,
    longest: MAX_KEYWORD_QUERY_LENGTH,
    about: 'Words to find. "Quoted words" must stand together.',
    example: 'git worktree',
  },
  {
    name: 'page',
    kind: 'integer',
    least: 1,
    most: MAX_PAGE,
    default: 1,
    about: 'Which page of the answer.',
    example: 1,
  },
  {
    name: 'limit',
    kind: 'integer',
    least: 1,
    most: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    cut: 'compatible',
    about: 'Skills on a page.',
    example: 10,
  },
  {
    name: 'sortBy',
    kind: 'choice',
    choices: HTTP_SORT_ORDERS,
    default: HTTP_SORT_ORDERS[0],
    about: 'The latest update first, or the most stars. What is equal is ordered by id.',
    example: 'stars',
  },
  { name: 'category', kind: 'slug', about: 'Only skills of this category.', example: 'testing' },
  {
    name: 'occupation',
    kind: 'slug',
    about: 'Only skills of this occupation (SOC), with or without its code, or of a major group (`15-0000`).',
    example: 'software-developers',
  },
  ...OWN_FILTERS,
];

/** The parameters of `aiSearchSkills`. The first faulty one in this order is reported. */
export const SEMANTIC_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'q',
    kind: 'question',
    required: true,
    longest: MAX_SEMANTIC_QUERY_LENGTH,
    about: 'What is to be done, in plain language.',
    example: 'tell our users what changed in a release',
  },
  ...OWN_FILTERS,
];

/** The parameters of `findSkills`. The first faulty one in this order is reported. */
export const FIND_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'q',
    kind: 'question',
    required: true,
    longest: MAX_KEYWORD_QUERY_LENGTH,
    about: 'Words to find. "Quoted words" must stand together.',
    example: 'pdf',
  },
  {
    name: 'limit',
    kind: 'integer',
    least: 1,
    most: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    cut: 'always',
    about: 'Most skills to answer with.',
    example: 10,
  },
  {
    name: 'owner',
    kind: 'free text',
    about: 'Only skills of this owner of repositories, or author. Blank for all.',
    example: 'octocat',
  },
];
