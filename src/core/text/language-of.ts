import { readTraditionalCharacters, simplify } from './characters.js';
import { latinLanguage } from './latin-language.js';
import { isPartKind, readWords, type Token } from './words.js';

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
/** Characters as only Japanese writes them, beside none that only Chinese has: a text in that may have Japanese names. */
const JAPANESE_FORMS = new RegExp(
  '^(?!.*[们們这這吗嗎么麼您哪帮请给个网页让说說实實对對变變关關发發图圖应應处處为價])' +
    '.*[図検対営変応処駅円帰気実発売読県関経済労働験権転択収戦総団広録単観覧鉄黒齢歯両乗仮価児効圧囲増専帯庁弾従悪払拡楽様毎満焼産絵続緑聴脳薬覚訳説軽遅険雑頼]',
  'su',
);
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
  const ofScript = (): QuestionLanguage => {
    const code = languageOfScripts(words);
    return { code: neighbourOf(code, tokens.map(({ term }) => term).join(' ')), certain: true };
  };
  if (share >= ENOUGH_BESIDE_ENGLISH) return ofScript();
  const code = latinLanguage(latin);
  if (share >= ENOUGH_OF_A_SCRIPT && code !== 'en') return ofScript();
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

/**
 * Blocks of letters that show a language by themselves, as ranges of code points, with the language that is mostly
 * written in them (ISO 639-1). `han` and `kana` are told apart later.
 */
const BLOCKS: readonly (readonly [from: number, to: number, language: string])[] = [
  [0x370, 0x3ff, 'el'],
  [0x400, 0x52f, 'ru'],
  [0x531, 0x58f, 'hy'],
  [0x590, 0x5ff, 'he'],
  [0x600, 0x77f, 'ar'],
  [0x8a0, 0x8ff, 'ar'],
  [0x900, 0x97f, 'hi'],
  [0x980, 0x9ff, 'bn'],
  [0xa00, 0xa7f, 'pa'],
  [0xa80, 0xaff, 'gu'],
  [0xb80, 0xbff, 'ta'],
  [0xc00, 0xc7f, 'te'],
  [0xc80, 0xcff, 'kn'],
  [0xd00, 0xd7f, 'ml'],
  [0xe00, 0xe7f, 'th'],
  [0xe80, 0xeff, 'lo'],
  [0x1000, 0x109f, 'my'],
  [0x10a0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1780, 0x17ff, 'km'],
  [0x1f00, 0x1fff, 'el'],
  [0x3040, 0x30ff, 'ja'],
  [0x3400, 0x9fff, 'zh'],
  [0xac00, 0xd7af, 'ko'],
  [0xf900, 0xfaff, 'zh'],
  [0x20000, 0x323af, 'zh'],
];

/** The language that is mostly written in the script of a letter; undefined for Latin letters and all others. */
function languageOfLetter(codePoint: number): string | undefined {
  if (codePoint < BLOCKS[0]![0]) return undefined;
  for (const [from, to, language] of BLOCKS) if (codePoint >= from && codePoint <= to) return language;
  return undefined;
}

/** In which language a text is, and in which direction it runs: what `lang` and `dir` of its element say. */
export interface TextLanguage {
  /**
   * BCP 47: a language, for Chinese with its script (`zh-Hans`, `zh-Hant`) where the characters show it. Undefined if
   * the text does not show a language.
   */
  readonly lang: string | undefined;
  readonly dir: 'ltr' | 'rtl';
}

/** Read of a text, in UTF-16 units. A language shows in the first sentences. */
const SAMPLE = 240;
const LATIN: TextLanguage = { lang: undefined, dir: 'ltr' };
const ENGLISH: TextLanguage = { lang: 'en', dir: 'ltr' };
const RIGHT_TO_LEFT_LANGUAGES: ReadonlySet<string> = new Set(['ar', 'fa', 'ur', 'he']);
/**
 * Letters of Hebrew, Arabic, Syriac, Thaana, NKo, Samaritan, Mandaic, and of the scripts from U+10800 and U+1E800 on.
 */
const RIGHT_TO_LEFT = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
const LETTER = /\p{L}/gu;
/** Letters in the block of a language that another language has, and it has not. */
const NEIGHBOURS: readonly (readonly [language: string, letters: RegExp, neighbour: string])[] = [
  ['zh', JAPANESE_FORMS, 'ja'],
  ['ru', /[їєґ]|^(?!.*[ыэъё]).*і/isu, 'uk'],
  ['ar', /[ٹڈڑںے]/u, 'ur'],
  ['ar', /[پچژگ]|[\u06a9\u06cc]/u, 'fa'],
];
const ASCII = /^[\x00-\x7f]*$/;
/** An ASCII text of fewer words is a name or a label: its words show nothing. */
const ENOUGH_BLANKS = /\s\S+\s\S+\s\S/;

/**
 * The language and the direction of a text by its own script, and by its words where the script is Latin. Reads the
 * first 240 UTF-16 units only, so it costs some ten microseconds, whatever the text.
 */
export function textLanguage(text: string): TextLanguage {
  const sample = text.length > SAMPLE ? text.slice(0, SAMPLE) : text;
  const isAscii = ASCII.test(sample);
  if (isAscii && !ENOUGH_BLANKS.test(sample)) return LATIN;
  const { code, certain } = languageOf(sample);
  if (certain && code === 'en') return ENGLISH;
  if (!certain) return isAscii || !runsRightToLeft(sample) ? LATIN : { lang: undefined, dir: 'rtl' };
  const lang = code === 'zh' ? chineseOf(sample) : code;
  return { lang, dir: RIGHT_TO_LEFT_LANGUAGES.has(lang) ? 'rtl' : 'ltr' };
}

/** Whether at least half of the letters belong to a script that runs from right to left. */
function runsRightToLeft(sample: string): boolean {
  const found = sample.match(RIGHT_TO_LEFT)?.length ?? 0;
  return found > 0 && found * 2 >= (sample.match(LETTER)?.length ?? 0);
}

function neighbourOf(language: string, sample: string): string {
  for (const [of, letters, neighbour] of NEIGHBOURS) if (of === language && letters.test(sample)) return neighbour;
  return language;
}

let simplifiedOnly: ReadonlySet<string> | undefined;

/** `zh-Hans` or `zh-Hant` by the characters that only one of the two has; `zh` where there are as many of both. */
function chineseOf(sample: string): string {
  simplifiedOnly ??= new Set([...readTraditionalCharacters()].filter((_, i) => i % 2 === 1));
  let [traditional, simplified] = [0, 0];
  for (const character of sample) {
    if (simplify(character) !== character) traditional++;
    else if (simplifiedOnly.has(character)) simplified++;
  }
  if (traditional === simplified) return 'zh';
  return traditional > simplified ? 'zh-Hant' : 'zh-Hans';
}
