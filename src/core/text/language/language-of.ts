import { isPartKind, readWords, type Token } from '../words.js';
import { latinLanguage } from './latin-language.js';
import { languageOfLetter } from './scripts.js';

/** The language of a question. */
export interface QuestionLanguage {
  /** ISO 639-1; `en` if nothing shows another language. */
  readonly code: string;
  /** Whether the question shows it. False for a question of names and numbers, or one that several languages share. */
  readonly certain: boolean;
}

/** A question without a word that shows a language. */
const UNKNOWN: QuestionLanguage = { code: 'en', certain: false };

/** So many characters of a script without spaces count as a word. */
const CHARACTERS_A_WORD = 2;
/** A question is in the language of another script if at least this share of its words is in that script. */
const ENOUGH_OF_A_SCRIPT = 0.2;
/** The same for a question that shows English by its other words. */
const ENOUGH_BESIDE_ENGLISH = 0.5;
/** A text of Han characters is Japanese if at least this share of its characters is kana. */
const ENOUGH_KANA = 0.1;

/**
 * The language of a question: by its script, and if that is Latin by its words. Deterministic, and made for texts of
 * two to thirty words. To take English for another language is the error that it avoids most.
 *
 * @returns of a question that is not certainly in another language, `en`
 */
export function languageOf(question: string): QuestionLanguage {
  return languageOfTokens(readWords(question));
}

/** {@link languageOf} for the words of a question. */
export function languageOfTokens(tokens: readonly Token[]): QuestionLanguage {
  const latin: string[] = [];
  const words = new Map<string, number>();
  let others = 0;
  for (const { term, kind } of tokens) {
    if (!isPartKind(kind)) continue;
    const first = term.codePointAt(0)!;
    const language = languageOfLetter(first);
    if (language !== undefined) {
      const size = kind === 'pair' || kind === 'character' ? 1 / CHARACTERS_A_WORD : 1;
      words.set(language, (words.get(language) ?? 0) + size);
      others += size;
    } else if (!isDigit(first)) {
      latin.push(term);
    }
  }
  if (others === 0 && latin.length === 0) return UNKNOWN;
  const share = others / (others + latin.length);
  if (share >= ENOUGH_BESIDE_ENGLISH) return { code: languageOfScripts(words), certain: true };
  const code = latinLanguage(latin);
  if (share >= ENOUGH_OF_A_SCRIPT && code !== 'en') return { code: languageOfScripts(words), certain: true };
  return code === undefined ? UNKNOWN : { code, certain: true };
}

function isDigit(codePoint: number): boolean {
  return codePoint >= 0x30 && codePoint <= 0x39;
}

/**
 * The language that most of the words are written in.
 *
 * @param words the number of words by the language of their script
 */
function languageOfScripts(words: ReadonlyMap<string, number>): string {
  let best = '';
  for (const [language, count] of words) if (count > (words.get(best) ?? 0)) best = language;
  if (best !== 'zh' && best !== 'ja') return best;
  const kana = words.get('ja') ?? 0;
  return kana >= ENOUGH_KANA * (kana + (words.get('zh') ?? 0)) ? 'ja' : 'zh';
}
