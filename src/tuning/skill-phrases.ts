import { embeddedText } from '../semantic/embedded-text.js';
import type { Skill } from '../skill.js';
import { languageOf } from '../text/language/language-of.js';
import { stemOf } from '../text/stem.js';
import { isPartKind, readWords } from '../text/words.js';
import { fileParts } from './file-parts.js';
import { isDenied } from './negation.js';
import { isSpoken, phraseKey, plainText, sizeOf } from './phrase-text.js';
import { quotedPhrases, type TextPart } from './quoted-phrases.js';
import type { PairKind } from './training-pair.js';
import { useWhenClauses } from './use-when-clauses.js';
import { ENGLISH_FILLERS, wordRuns } from './word-runs.js';

/** A text that may become a pair with its skill. */
export interface Phrase {
  readonly kind: PairKind;
  readonly text: string;
  readonly document: string;
}

/** The smallest and the largest size of each kind, in words. */
const SIZES: Readonly<Record<Exclude<PairKind, 'request'>, readonly [min: number, max: number]>> = {
  quote: [2, 30],
  'file-quote': [3, 30],
  'use-when': [2, 45],
  heading: [2, 14],
  sentence: [6, 45],
  name: [2, 8],
  words: [2, 6],
};

/** What is left of a description, in words, without a clause: with less, nothing says what the skill does. */
const LEAST_LEFT = 6;

/**
 * All texts of a skill that may become pairs, each with the document that it is paired with, in a fixed order. Empty
 * texts, code, and what only repeats the name are left out.
 */
export function skillPhrases(skill: Skill, file: string): Phrase[] {
  const { name, description } = skill;
  const whole = embeddedText(name, description);
  const words = wordsOf(`${name} ${description}`);
  const phrases: Phrase[] = [];
  const taken = new Set<string>();
  const add = (kind: Exclude<PairKind, 'request'>, text: string | undefined, document = whole): void => {
    if (text === undefined) return;
    const size = sizeOf(text);
    const [min, max] = SIZES[kind];
    if (size < min || size > max || !isSpoken(text)) return;
    const key = phraseKey(text);
    if (taken.has(key)) return;
    taken.add(key);
    phrases.push({ kind, text, document });
  };

  const clauses = useWhenClauses(description);
  for (const part of quotedPhrases(description)) {
    const rest = withoutPart(description, part);
    if (isDenied(description, part.begin) || sizeOf(rest) < LEAST_LEFT) continue;
    add('quote', part.text, embeddedText(name, rest));
  }
  for (const part of clauses) {
    const rest = withoutPart(description, part);
    if (/["“”「」«»]/u.test(part.text) || sizeOf(rest) < LEAST_LEFT) continue;
    add('use-when', part.text, embeddedText(name, rest));
  }
  add('name', nameWords(name));
  const { title, headings, sentence, quotes, uses } = fileParts(file);
  for (const text of quotes)
    if (!isCut(text, description)) add('file-quote', text, documentWithout(skill, text, whole));
  for (const text of uses) if (shared(text, words) >= 1) add('use-when', text, documentWithout(skill, text, whole));
  add('heading', title);
  for (const text of headings) if (sizeOf(text) >= 3 && shared(text, words) >= 2) add('heading', text);
  if (sentence !== undefined && shared(sentence, words) >= 2 && !repeats(sentence, words)) {
    add('sentence', sentence);
  }
  for (const text of wordRuns(description, languageOf(description).code)) add('words', text);
  return phrases;
}

/** The language of a text of a skill, ISO 639-1. A text that does not show it has that of the description. */
export function languageOfPhrase(text: string, description: string): string {
  const language = languageOf(text);
  if (language.certain) return language.code;
  const other = languageOf(description).code;
  // Latin letters are never Chinese.
  return /^(?:zh|ja|ko|ru|ar|hi|th|el|he)$/.test(other) ? 'en' : other;
}

/** A name as words: `reactTesting-library` becomes `react Testing library`. */
function nameWords(name: string): string {
  return plainText(name)
    .replace(/[-_./:]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/\s+skill$/iu, '')
    .trim();
}

/** A description without a part, and without the marks that are left around it. */
function withoutPart(description: string, { begin, end }: Pick<TextPart, 'begin' | 'end'>): string {
  const before = description.slice(0, begin).replace(/[\s,，、(（:：]+$/u, '');
  const after = description.slice(end).replace(/^[\s,，、)）]+/u, '');
  const rest = before === '' || /[.。;；!！?？]$/u.test(before) ? after.replace(/^[\s.;。；!！?？]+/u, '') : after;
  const gap = before === '' || /^[.。;；,，!！?？]/u.test(rest) ? '' : ' ';
  return `${before}${gap}${rest}`.trim();
}

/** The document without a text of the file, where the description has that, too. */
function documentWithout({ name, description }: Skill, text: string, whole: string): string {
  const begin = description.indexOf(text);
  return begin === -1 ? whole : embeddedText(name, withoutPart(description, { begin, end: begin + text.length }));
}

/** The stems of the words of a text that say something. */
function wordsOf(text: string): Set<string> {
  const stems = new Set<string>();
  for (const { term, kind } of readWords(text)) {
    if (isPartKind(kind) && term.length > 1 && !ENGLISH_FILLERS.has(term)) stems.add(stemOf(term));
  }
  return stems;
}

/** How many words a text shares with the skill: with none it is about skills in general. */
function shared(text: string, words: ReadonlySet<string>): number {
  let count = 0;
  for (const stem of wordsOf(text)) if (words.has(stem)) count += 1;
  return count;
}

/** Whether most words of a sentence are in the description: it says the same. */
function repeats(sentence: string, words: ReadonlySet<string>): boolean {
  return shared(sentence, words) > 0.8 * wordsOf(sentence).size;
}

/** Whether a phrase is the description, cut within a word. Some files quote themselves so. */
function isCut(text: string, description: string): boolean {
  const at = description.indexOf(text);
  return at !== -1 && /^[\p{L}\p{N}]/u.test(description.slice(at + text.length)) && !/[\p{Lo}]$/u.test(text);
}
