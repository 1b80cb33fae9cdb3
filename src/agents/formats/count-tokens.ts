import { invalidArgument, parameterOf } from '../../core/index.js';
import { PIECE, textSize } from './text-size.js';

/**
 * How many tokens a piece of the bundled model's vocabulary counts as. With this margin the counts of o200k, cl100k and
 * the one tokenizer that Anthropic has published stay below ours for 95 % of descriptions and more, in each script that
 * catalogues have. See docs/agents.md for the figures.
 */
const MARGIN = 1.25;

/** How much text fits into so many tokens, as a `textSize`. */
export function sizeOfTokens(tokens: number): number {
  return Math.floor((tokens * PIECE) / MARGIN);
}

/** Tokens for a `textSize`: a whole number. */
export function tokensOfSize(size: number): number {
  return Math.ceil((size * MARGIN) / PIECE);
}

/**
 * An estimate of the tokens that a text costs a language model, a quarter above what the bundled model's own tokenizer
 * counts. English has about 1.4 times the count of o200k or cl100k; no other model's vocabulary is needed. The first
 * call reads the vocabulary (some 50 ms), the model is not loaded.
 *
 * Models differ. Anthropic says of its newest tokenizer (Claude Opus 4.7) that it makes up to 1.35 times as many tokens
 * as the one before: give such a model three quarters of the budget.
 *
 * @returns 0 for an empty text, otherwise a whole number
 * @throws {SkillSearchError} `INVALID_PARAMETER` unless it is a string; `MODEL_NOT_FOUND` if the tokenizer's files are
 *   missing from the package
 * @example
 * countTokens('Fills in PDF forms.'); // 7
 */
export function countTokens(text: string): number {
  if (typeof text !== 'string') throw invalidArgument(parameterOf('text'), 'a string', text);
  return tokensOfSize(textSize(text));
}
