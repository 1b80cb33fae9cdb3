import { compareCodePoints, isPartKind, isUnspacedTerm, normaliseText, readWords } from '../core/index.js';
import type { CorrectedWord, KeywordStep } from '../result.js';
import type { CountedText } from './keyword-index.js';
import { isSingleCharacter, type Phrase, type Question, type QuestionWord } from './question.js';

/** Words of the catalogue that an answer says a misspelt word was read as. Whoever asked wants to see the likeliest. */
const MAX_CORRECTIONS = 5;

/** What one step asks of an index. */
export interface StepPlan {
  readonly step: KeywordStep;
  readonly words: readonly QuestionWord[];
  /** The words of each must stand together; `lookup` says which terms answer them. */
  readonly phrases: readonly Phrase[];
  readonly lookup: (term: string) => Lookup;
  /** Whether file text and the parts of words in PascalCase count. */
  readonly everywhere: boolean;
  /** `all`: every word is required. `half`: at least half of the weight of the words. */
  readonly required: 'all' | 'half';
}

/** A step of a question. */
export interface PlannedStep extends StepPlan {
  /** What is asked; of `translated` in English. */
  readonly question: Question;
}

/**
 * The steps of keyword search, in order. The caller stops at the first step that finds anything; later ones are then
 * never planned.
 *
 * @param occurs whether any term of the catalogue answers a lookup
 * @param inEnglish what a question in another language is in English
 * @param corrections whether words that occur nowhere may be read as others
 */
export function* planSteps(
  question: Question,
  occurs: (lookup: Lookup) => boolean,
  inEnglish?: () => Question | undefined,
  corrections = true,
): Generator<PlannedStep> {
  const { looseWords, typed } = question;
  const byPrefix = prefixLookup(question);
  // A word that is not done is the beginning of another as well as the stem of one.
  const isOpen = typed !== undefined && byPrefix !== undefined;
  for (const plan of planWholeWords(question)) yield isOpen ? { ...plan, step: 'prefix', lookup: byPrefix } : plan;

  const everywhere = { ...everyWord(question), words: looseWords, everywhere: true };
  if (byPrefix !== undefined && !isOpen) yield { step: 'prefix', ...everywhere, lookup: byPrefix };

  const wordOccurs = (word: QuestionWord): boolean => word.terms.some((term) => occurs(asItStands(term)));
  const occurring = looseWords.filter(wordOccurs);
  const byEdits = corrections ? typoLookup(looseWords.filter((word) => !occurring.includes(word))) : undefined;
  if (byEdits !== undefined) yield { step: 'typo', ...everywhere, lookup: byEdits };

  const english = inEnglish?.();
  if (english !== undefined) yield* planTranslated(english, looseWords, wordOccurs);
  yield* planSomeWords('some-words', question, occurring);
}

/**
 * No word of a translation is unfinished or misspelt. A translation that only leaves words of the question as they are
 * would find nothing that the question itself does not find.
 */
function* planTranslated(
  english: Question,
  asked: readonly QuestionWord[],
  wordOccurs: (word: QuestionWord) => boolean,
): Generator<PlannedStep> {
  const known = new Set(asked.flatMap(({ terms }) => terms));
  const hasOthers = (words: readonly QuestionWord[]): boolean => words.some(({ terms }) => !known.has(terms[0]!));
  if (!hasOthers(english.looseWords)) return;
  for (const plan of planWholeWords(english)) yield { ...plan, step: 'translated' };
  const occurring = english.looseWords.filter(wordOccurs);
  if (hasOthers(occurring)) yield* planSomeWords('translated', english, occurring);
}

function everyWord(question: Question) {
  return { question, phrases: question.phrases, lookup: asItStands, required: 'all' } as const;
}

function* planWholeWords(question: Question): Generator<PlannedStep> {
  const { words, looseWords } = question;
  yield { step: 'all-words', ...everyWord(question), words, everywhere: false };
  yield { step: 'file-text', ...everyWord(question), words: looseWords, everywhere: true };
}

function* planSomeWords(
  step: KeywordStep,
  question: Question,
  occurring: readonly QuestionWord[],
): Generator<PlannedStep> {
  if (occurring.length === 0 || mustStandTogether(question)) return;
  yield { step, ...everyWord(question), words: occurring, everywhere: true, required: 'half' };
}

/**
 * Whether every word is part of a phrase. The last step then finds nothing new: phrases are required in every step, so
 * an earlier step has found what has them all. Compounds are an exception, since a phrase matches through the whole or
 * through the parts.
 */
function mustStandTogether({ looseWords, phrases }: Question): boolean {
  const tokens = phrases.flatMap((phrase) => phrase.tokens);
  const quoted = new Set(tokens.map(({ term }) => term));
  return tokens.every(({ kind }) => isPartKind(kind)) && looseWords.every(({ terms }) => quoted.has(terms[0]!));
}

/** Which terms of the catalogue answer a term of the question. */
export type Lookup =
  /** Terms with the same stem. */
  | { readonly kind: 'stem'; readonly term: string }
  /** Terms that begin with the term, accents ignored. None of the `UNSPACED_SCRIPTS`. */
  | { readonly kind: 'prefix'; readonly term: string }
  /** Forms of terms that are at most so many edits away, accents ignored. */
  | { readonly kind: 'edits'; readonly term: string; readonly edits: number }
  /** Pairs and single characters that begin with this character. */
  | { readonly kind: 'character'; readonly term: string };

/** The usual lookup: by stem; for a single character of the `UNSPACED_SCRIPTS` also inside its pairs. */
export function asItStands(term: string): Lookup {
  return { kind: isSingleCharacter(term) ? 'character' : 'stem', term };
}

/** A shorter last word would be the beginning of too many words. */
const MIN_PREFIX_LETTERS = 3;

/**
 * The lookup of the step `prefix`: the last word may be the beginning of a word.
 *
 * @returns undefined if the last word is too short, or of the `UNSPACED_SCRIPTS`
 */
function prefixLookup({ lastWord }: Question): ((term: string) => Lookup) | undefined {
  const mayBegin = (term: string): boolean => !isUnspacedTerm(term) && [...term].length >= MIN_PREFIX_LETTERS;
  const beginnings = new Set(lastWord?.terms.filter(mayBegin));
  if (beginnings.size === 0) return undefined;
  return (term) => (beginnings.has(term) ? { kind: 'prefix', term } : asItStands(term));
}

/** Words of so many letters may be two edits away from what is meant, shorter ones one edit. */
const LONG_WORD = 8;

/**
 * The lookup of the step `typo`: words that occur nowhere stand for words a few edits away.
 *
 * @param misspelt the words that occur nowhere
 * @returns undefined if there are none
 */
function typoLookup(misspelt: readonly QuestionWord[]): ((term: string) => Lookup) | undefined {
  if (misspelt.length === 0) return undefined;
  const terms = new Set(misspelt.flatMap((word) => word.terms));
  return (term) =>
    terms.has(term) && !isUnspacedTerm(term) ? { kind: 'edits', term, edits: editsAllowed(term) } : asItStands(term);
}

function editsAllowed(term: string): number {
  return [...term].length >= LONG_WORD ? 2 : 1;
}

/**
 * How a step read the words that occur nowhere.
 *
 * @param formsOf the terms that answer the first term of a word, and how many documents of the answer have each
 */
export function correctedWords(
  { question, words, lookup }: Pick<PlannedStep, 'question' | 'words' | 'lookup'>,
  formsOf: (word: QuestionWord) => readonly CountedText[],
): CorrectedWord[] {
  return words
    .filter(({ terms: [term] }) => lookup(term!).kind === 'edits')
    .map((word) => ({ asked: askedText(question.text, word.terms[0]!), read: mostFrequent(formsOf(word)) }))
    .filter(({ read }) => read.length > 0);
}

function mostFrequent(forms: readonly CountedText[]): string[] {
  return forms
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareCodePoints(a.text, b.text))
    .slice(0, MAX_CORRECTIONS)
    .map(({ text }) => text);
}

/** A term as the question has it. */
function askedText(question: string, term: string): string {
  const text = normaliseText(question);
  const token = readWords(text).find((one) => one.term === term);
  return token === undefined ? term : text.slice(token.start, token.end);
}
