import { foldAccents, isUnspacedTerm } from '../text/characters.js';
import { isPartKind, readWords, type Token } from '../text/words.js';
import { weighPairs } from './pair-weights.js';
import { DEFAULT_STOP_WORDS, type StopWords } from './stop-words.js';

/** At most so many distinct words of a question are used. */
export const MAX_QUESTION_WORDS = 64;

/**
 * One word a question asks for: a text has it if it has any of these terms, as they stand or by their stem. The first
 * is the word itself, the others are the compounds it is a part of (`testing` of `react-testing`: `testing`,
 * `reacttesting`).
 */
export interface QuestionWord {
  /** Lower case, accents kept. */
  readonly terms: readonly string[];
  /** What it counts among the words: 1, of a pair of characters mostly less, see {@link weighPairs}. Above 0. */
  readonly weight: number;
}

/** Words in quotation marks that must stand together: the tokens of the quoted text, by position. */
export interface Phrase {
  readonly tokens: readonly Token[];
  readonly length: number;
}

/**
 * A question, taken apart.
 *
 * A word in PascalCase (`GitHub`, `JavaScript`) is mostly a name of its own. So the first step reads it as one word
 * (`words`), in questions and texts alike: who asks for `java` by date does not want every skill about JavaScript. All
 * later steps see its parts as well (`looseWords`), so that `builder` finds `PipelineBuilder` where nothing else does.
 */
export interface Question {
  readonly text: string;
  readonly words: readonly QuestionWord[];
  readonly looseWords: readonly QuestionWord[];
  /** The last of `looseWords` as asked, which may be the beginning of a longer word. */
  readonly lastWord: QuestionWord | undefined;
  readonly phrases: readonly Phrase[];
}

interface Piece {
  readonly tokens: readonly Token[];
  readonly quoted: boolean;
}

interface WordOfPiece extends QuestionWord {
  readonly stop: boolean;
}

/**
 * Reads a question: words, and phrases in straight or typographic quotation marks.
 *
 * @param stopWords left out unless they are quoted, part of a compound, or all that there is
 */
export function readQuestion(text: string, stopWords: StopWords = DEFAULT_STOP_WORDS): Question {
  const pieces = limitWords(splitQuotes(text));
  const looseWords = requiredWords(pieces, stopWords, true);
  return {
    text,
    words: distinct(requiredWords(pieces, stopWords, false)),
    looseWords: distinct(looseWords),
    lastWord: looseWords.at(-1),
    phrases: pieces.filter((piece) => piece.quoted).flatMap(toPhrase),
  };
}

function splitQuotes(text: string): Piece[] {
  const parts = text.split(/["\u201c\u201d\u201e]/);
  // An opening mark without a closing one quotes nothing.
  const closed = parts.length % 2 === 1 ? parts.length : parts.length - 1;
  return parts
    .map((part, i) => ({ tokens: readWords(part), quoted: i % 2 === 1 && i < closed }))
    .filter((piece) => piece.tokens.length > 0);
}

function limitWords(pieces: readonly Piece[]): Piece[] {
  const seen = new Set<string>();
  const kept: Piece[] = [];
  for (const piece of pieces) {
    let end = Number.POSITIVE_INFINITY;
    for (const token of piece.tokens) {
      if (!isPartKind(token.kind) || seen.has(token.term)) continue;
      if (seen.size === MAX_QUESTION_WORDS) {
        end = token.position;
        break;
      }
      seen.add(token.term);
    }
    kept.push({ ...piece, tokens: piece.tokens.filter((token) => token.position + token.span <= end) });
    if (end !== Number.POSITIVE_INFINITY) break;
  }
  return kept.filter((piece) => piece.tokens.length > 0);
}

function requiredWords(pieces: readonly Piece[], stopWords: StopWords, loose: boolean): QuestionWord[] {
  const all = pieces.flatMap((piece) => wordsOf(piece, stopWords, loose));
  return all.some((word) => !word.stop) ? all.filter((word) => !word.stop) : all;
}

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byTerms = new Map<string, QuestionWord>();
  for (const { terms, weight } of words) {
    const key = terms.join(' ');
    byTerms.set(key, { terms, weight: Math.max(weight, byTerms.get(key)?.weight ?? 0) });
  }
  return [...byTerms.values()];
}

function wordsOf(piece: Piece, stopWords: StopWords, loose: boolean): WordOfPiece[] {
  const { tokens, quoted } = piece;
  const wholes = tokens.filter((token) => !isPartKind(token.kind));
  const pairWeights = weighPairs(tokens);
  const words: WordOfPiece[] = [];
  for (const token of tokens) {
    if (!isUnit(token, tokens, wholes, loose)) continue;
    const around = wholes.filter((whole) => whole !== token && covers(whole, token));
    const stop = !quoted && around.length === 0 && stopWords.has(foldAccents(token.term));
    const terms = [...new Set([token.term, ...around.map((whole) => whole.term)])];
    words.push({ terms, weight: pairWeights.get(token) ?? 1, stop });
  }
  return words;
}

/** Whether a token is what the question asks for at its place: a part, or a whole that is not taken apart. */
function isUnit(token: Token, tokens: readonly Token[], wholes: readonly Token[], loose: boolean): boolean {
  if (!isPartKind(token.kind))
    return !isOpen(token, loose) && !wholes.some((w) => w !== token && closesOver(w, token, loose));
  if (wholes.some((whole) => closesOver(whole, token, loose))) return false;
  if (token.kind !== 'character') return true;
  // The last character of a run stands in a pair already.
  return !tokens.some(
    (other) => other.kind === 'pair' && other.position === token.position - 1 && other.end === token.end,
  );
}

/** A compound of which all parts are asked for, as against one that stays a word. */
function isOpen(whole: Token, loose: boolean): boolean {
  return whole.kind === 'camel' || whole.kind === 'joined' || (whole.kind === 'pascal' && loose);
}

function closesOver(whole: Token, token: Token, loose: boolean): boolean {
  return !isOpen(whole, loose) && covers(whole, token);
}

function covers(whole: Token, token: Token): boolean {
  return whole.position <= token.position && token.position + token.span <= whole.position + whole.span;
}

function toPhrase(piece: Piece): Phrase[] {
  const tokens = piece.tokens.filter((token) => token.kind !== 'dotted-part');
  const length = Math.max(...tokens.map((token) => token.position + token.span));
  return [{ tokens, length }];
}

/** Whether a word is one character of a text without spaces: it is found inside every pair that begins with it. */
export function isSingleCharacter(term: string): boolean {
  return isUnspacedTerm(term) && [...term].length === 1;
}
