import { fileURLToPath } from 'node:url';
import {
  dataFile,
  foldAccents,
  isPartKind,
  normaliseText,
  orUndefined,
  readWordPieces,
  readWords,
  typedWord,
} from '../core/index.js';
import type { CorrectedWord } from '../result.js';
import type { KeywordIndex } from './keyword-index.js';
import { type Question, readQuestion, type StopWords, stopWordsOf } from './question.js';
import { isWithinEdits, unitsOf } from './term-dictionary.js';
import { Work } from './work.js';

/** The most frequent words that begin with the letters: one of these is meant. */
const CANDIDATES = 32;

/** A word that weighs this many times as much as what is typed takes its place. `git` stays, and `kube` does not. */
const FAR_MORE = 6;

/** Fewer letters say nothing of what is meant, unless they are a word of the catalogue. */
const FEWEST_LETTERS = 3;

/**
 * Reads a question. If somebody is typing it, an unfinished word is read as the one that most names begin with, and most
 * skills have, together with the other words. Where it is a usual word itself, it stays, and where it has too few
 * letters for that, the others are asked alone.
 *
 * @param byPrefix whether words are looked up by their beginnings: then only few letters are read as another word
 */
export function readAsked(
  index: KeywordIndex,
  { q, asTyped }: { readonly q: string; readonly asTyped: boolean },
  stopWords: StopWords | undefined,
  byPrefix: boolean,
): Question {
  if (!asTyped) return readQuestion(q, stopWords);
  const read = (text: string, typed?: string): Question => Object.assign(readQuestion(text, stopWords), { typed });
  const question = read(q, q);
  const { before, letters } = typedWord(q) ?? { before: q, letters: '' };
  const leftOut = stopWords ?? stopWordsOf(question.language);
  const isLeftOut = (term: string): boolean => leftOut.has(foldAccents(term));
  if (letters === '' || (before !== '' && isLeftOut(letters))) return read(q);
  const isShort = [...letters].length < FEWEST_LETTERS;
  const others = question.words.filter(({ terms: [term] }) => term !== letters && !isLeftOut(term!));
  const found = index.wordsBeginning(letters, { limit: CANDIDATES, isLeftOut, words: isShort ? [] : others });
  let [best, most, own] = ['', 0, 0];
  for (const { text, count, together = count } of found) {
    const whole = { ...question, text: before + text, typed: undefined };
    const weight = (1 + index.named(whole).length + index.beginning(whole).length) * together;
    if (text === letters) own = weight;
    else if (weight > most) [best, most] = [before + text, weight];
  }
  if (most < FAR_MORE * own) return question;
  // The words before are done.
  if (isShort && others.length > 0) return Object.assign(read(before.trim(), q), { lastWord: undefined });
  if (most === 0) return question;
  return byPrefix && !isShort ? read(q, best) : read(best);
}

/** Longer questions say enough without a word that nothing has. */
const MOST_WORDS = 5;

/** Shorter words have too many others near. */
const PLAIN_WORD = /^[a-z]{4,}$/;

/**
 * A short question with words of the catalogue in place of those that occur nowhere in it: the nearest, of several the
 * most frequent one.
 */
export function correctQuestion(
  index: KeywordIndex,
  question: Question,
  stopWords: StopWords | undefined,
  isWanted: boolean,
): { readonly question: Question; readonly corrected: readonly CorrectedWord[] } {
  let text = normaliseText(question.text);
  const tokens = readWords(text).filter(({ kind }) => isPartKind(kind));
  const corrected: CorrectedWord[] = [];
  if (!isWanted || tokens.length > MOST_WORDS) return { question, corrected };
  for (const { term, kind, start, end } of tokens.reverse()) {
    const read = kind === 'word' && PLAIN_WORD.test(term) ? nearestTo(term, index) : undefined;
    if (read === undefined || isEnglishWord(term)) continue;
    corrected.unshift({ asked: text.slice(start, end), read: [read] });
    text = text.slice(0, start) + read + text.slice(end);
  }
  return { question: corrected.length === 0 ? question : readQuestion(text, stopWords), corrected };
}

/** One of so many skills must have a word that is one edit away from what was asked; or two. */
const RAREST = 20_000;
const RAREST_FAR = 1000;

/** The word of the catalogue that is meant by one that occurs nowhere; undefined for one that does. */
function nearestTo(term: string, index: KeywordIndex): string | undefined {
  const words = [{ terms: [term], weight: 1 }];
  // Without a last word, which could be the beginning of another.
  const question = { text: term, language: 'en', words, looseWords: words, lastWord: undefined, phrases: [] };
  const [{ read } = { read: [] }] = index.match(question, { work: Work.forQuestion(index.size) }).corrected();
  const isNear = (other: string): boolean => isWithinEdits(unitsOf(term), unitsOf(other), 0, unitsOf(other).length, 1);
  const isMeant = (other: string): boolean => {
    const known = index.wordsBeginning(other, { limit: CANDIDATES, isLeftOut: (one) => one !== other, words: [] });
    return known.some(({ count }) => count * (isNear(other) ? RAREST : RAREST_FAR) >= index.size);
  };
  return [...read.filter(isNear), ...read].find(isMeant);
}

let englishWords: ReadonlySet<string> | undefined;

/** Whether the bundled model knows it as a word: then nobody misspelt it. Without that model nothing is corrected. */
function isEnglishWord(term: string): boolean {
  const folder = fileURLToPath(dataFile('models/skill-minilm'));
  englishWords ??= new Set(orUndefined(() => readWordPieces(folder).vocabulary));
  return englishWords.size === 0 || englishWords.has(term);
}
