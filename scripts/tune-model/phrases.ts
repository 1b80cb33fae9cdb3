// What skills say of themselves, as texts that somebody may ask: quoted phrases, "use when" clauses, headings, names.

import {
  foldAccents,
  foldCase,
  functionWords,
  isListedLanguage,
  isPartKind,
  languageOf,
  normaliseText,
  readWords,
  splitFrontMatter,
  stemOf,
  UNSPACED_CHARACTER,
} from '../../src/core/index.js';
import { embeddedText } from '../../src/semantic/skill-texts.js';
import type { Skill } from '../../src/skill.js';

/**
 * What a text of a pair is:
 *
 * - `quote`: a phrase in quotation marks in the description, mostly what a user would say
 * - `file-quote`: the same in the text of the file
 * - `use-when`: what follows "use when" in the description, or a point of a list under such a heading in the file
 * - `heading`: a heading of the file
 * - `sentence`: the first sentence of the file
 * - `name`: the name as words
 * - `words`: two or three words of the description that stand together
 * - `request`: what a person wrote for this skill
 */
export const PAIR_KINDS = [
  'quote',
  'file-quote',
  'use-when',
  'heading',
  'sentence',
  'name',
  'words',
  'request',
] as const;
export type PairKind = (typeof PAIR_KINDS)[number];

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

/** What the text of a file offers for pairs. */
interface FileParts {
  /** The heading of the first level. */
  readonly title: string | undefined;
  /** The other headings, without numbers and "Step 3:". */
  readonly headings: readonly string[];
  /** The first sentence of prose. */
  readonly sentence: string | undefined;
  /** Phrases in quotation marks where the file tells what users say. */
  readonly quotes: readonly string[];
  /** Points of lists under headings such as "When to use". */
  readonly uses: readonly string[];
}

/** Characters of a file that are read: what a skill is for stands at its beginning. */
const READ = 20_000;

/** Some published catalogues have files that were cut to so many characters (code points). */
const CUT_BEFORE = 2000;

/** Characters of a line that are read. A longer one is no prose, and patterns would take long for it. */
const LINE_READ = 1000;

/** Headings of sections that list when the skill is meant. */
const WHEN_TO_USE =
  /\bwhen (?:to|should|you)\b.*\b(?:use|activate|apply|invoke|trigger)\b|\buse (?:this|when|cases?|for)\b|\btriggers?\b|\bactivation\b|何时使用|什么时候使用|使用场景|适用场景|触发|使用時機|使うとき|使用する場面|使用タイミング|いつ使|トリガー|사용 시점|언제 사용|트리거|cuándo usar|quando usar|quand utiliser|wann (?:verwenden|nutzen)|когда использовать/iu;

/** Lines and headings around what users say. */
const SAID_BY_USERS =
  /\btrigger|\buse (?:this|when)|\bwhen (?:to|the user)|\busers? (?:says?|asks?|requests?|mentions?|wants?|might|may|query|queries|prompts?|questions?|phrases?|requests?)|\bexample (?:prompts?|requests?|quer(?:y|ies)|questions?|usage|commands?|phrases?)|\bask(?:s|ed|ing)? (?:for|about|to|claude)|\bprompts?\b|\bphrases?\b|\bactivat|触发|用户|用戶|使用场景|适用场景|何时使用|提问|トリガー|ユーザー|依頼例|使用例|트리거|사용자|예시/iu;

/** Looked for first, because few lines have one. */
const QUOTATION_MARK = /["'“‘„«「『]/u;

/** Sections that are about something else than what the skill is for. */
const ASIDE =
  /\bnot\b|\bdon['’]?t\b|\bnever\b|\bavoid|anti-?pattern|\bbad\b|\bwrong\b|mistake|pitfall|red flag|rationali[sz]|excuse|\berror|\boutput|troubleshoot|limitation|\bresponse|\breply|不要|不适用|避免|禁止|错误|しない|ではない|エラー|하지|오류/iu;

/** Numbers and labels before the words of a heading. */
const LABEL =
  /^(?:[\d.]+[.):]?\s+|\(?\d+\)\s*|(?:step|phase|part|stage|section|chapter|example|task|rule|pattern|option|level|tier|mode|workflow|scenario|appendix|q)\s*(?:#?\d+[\d.]*|[a-z])\b\s*[:.)–—-]*\s*|(?:第?[一二三四五六七八九十\d]+[步章节部分阶段、.．:：]+)\s*|ステップ\s*\d+\s*[:：.]?\s*|단계\s*\d+\s*[:.]?\s*|\d+단계\s*[:.]?\s*)/iu;

/** Reads the parts of a Markdown file that pairs are made of. */
function fileParts(file: string): FileParts {
  const headings: string[] = [];
  const quotes: string[] = [];
  const uses: string[] = [];
  let title: string | undefined;
  let sentence: string | undefined;
  /** What the section that the line is in is about. */
  let [isAside, isWhenToUse, isSaid] = [false, false, false];
  let inCode = false;
  let isFirst = true;
  for (const whole of linesOf(file)) {
    const line = whole.slice(0, LINE_READ);
    if (/^\s*(?:```|~~~)/.test(line)) inCode = !inCode;
    if (inCode || line.trim() === '') continue;
    const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (heading !== null) {
      const section = plainText(heading[2]!);
      isAside = ASIDE.test(section);
      isWhenToUse = WHEN_TO_USE.test(section);
      isSaid = SAID_BY_USERS.test(section);
      const words = headingWords(section);
      if (title === undefined && heading[1] === '#') title = words;
      else if (!isAside) headings.push(words);
      continue;
    }
    if (isAside) continue;
    const isPoint = /^\s*(?:[-*+•]|\d+[.)])\s+/.test(line);
    if (isPoint && isWhenToUse) {
      const point = pointOf(line);
      if (point !== undefined) uses.push(point);
    }
    if (QUOTATION_MARK.test(line) && (isSaid || SAID_BY_USERS.test(line))) {
      for (const { text, begin } of quotedPhrases(line)) if (!isDenied(line, begin)) quotes.push(text);
    }
    if (isFirst && !isPoint) sentence = sentenceOf(line);
    isFirst = false;
  }
  return { title, headings, sentence, quotes, uses };
}

/** The lines after the front matter. */
function linesOf(file: string): string[] {
  const lines = splitFrontMatter(file.slice(0, READ)).body.split(/\r?\n/);
  // A file that is cut ends within a line.
  if (file.length > READ || (file.length <= 2 * CUT_BEFORE && Array.from(file).length === CUT_BEFORE)) lines.pop();
  return lines;
}

function headingWords(heading: string): string {
  const words = heading.replace(/^[^\p{L}\p{N}(/@#]+/u, '').replace(LABEL, '');
  return words.replace(/\s*[:：]\s*$/u, '').trim();
}

/** A point of a list, without its mark and a label before a colon. Undefined if it denies, or quotes. */
function pointOf(line: string): string | undefined {
  const text = plainText(line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+(?:\[[ x]\]\s*)?/, ''));
  if (isDenied(text, text.length) || /["“”「」«»]/u.test(text)) return undefined;
  return withoutBeginning(text).replace(/[.;。；,，]+$/u, '');
}

/** First words of sentences that tell the agent how to work, not what the skill is for. */
const ORDERS =
  /^(?:treat|follow|read|load|invoke|see|note|important|always|never|before|after|if|when|you must|do not|use this)\b/iu;

/** The first sentence of a line of prose; undefined for anything else. */
function sentenceOf(line: string): string | undefined {
  if (!/^["“「*]*[\p{Lu}\p{Lo}]/u.test(line) || ORDERS.test(line)) return undefined;
  const text = plainText(line);
  const [, sentence] = /^(.{8,300}?[.!?](?=\s|$)|.{4,150}?[。！？])/u.exec(text) ?? [];
  return sentence?.replace(/[.。]$/u, '');
}

/** The clause ends with the sentence; a line break within a sentence is only a break. */
const END = '(?=[.;](?:\\s|$)|[。；！]|\\n\\s*\\n|\\s[-–—]{1,2}\\s|$)';
const CLAUSE = `((?:(?!\\n\\s*\\n)[^。；！]){12,400}?)${END}`;

/** "Use when …" in several languages, each with the clause as its first group. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:use|used|invoke|invoked|activates?|triggers?|triggered|apply|applies|load|call)\\b(?: (?:it|this|these|the|skill|agent|command|tool|proactively|automatically|immediately|whenever possible|also|only|primarily|especially)){0,4},? (?:when(?:ever)?|if|for|before|after|on)\\b:? ${CLAUSE}`,
    'giu',
  ),
  new RegExp(`\\b(?:verwende[nt]?|nutze[nt]?|einsetzen|anwenden)\\b[^.\\n]{0,30}?,? (?:wenn|für) ${CLAUSE}`, 'giu'),
  new RegExp(
    `(?<!\\p{L})(?:usar|úsal[oa]|usa|utilizar|utiliza|utilice|activar|use|utilize|ative|acione)(?!\\p{L})[^.\\n]{0,30}? (?:cuando|siempre que|quando|sempre que) ${CLAUSE}`,
    'giu',
  ),
  new RegExp(
    `\\b(?:utilise[rz]?|activer|invoquer)\\b[^.\\n]{0,30}? (?:quand|lorsque|lorsqu['’]|pour) ?${CLAUSE}`,
    'giu',
  ),
  new RegExp(`(?:использу|используй|применя)\\p{L}*[^.\\n]{0,30}? (?:когда|при|для|если) ${CLAUSE}`, 'giu'),
  /(?:当|當|在)(?:用户|用戶|使用者|你|需要)([^。；;\n]{4,120}?)(?:时|時|的时候|的時候)(?:，|,)?(?:请|可|自动|必须|应)?(?:使用|触发|觸發|调用|啟用|启用|激活)[^。；;，,\n]{0,8}/gu,
  /(?:适用于|適用於|适合|(?<![作使])用于|用於)([^。；;\n]{4,120}?)(?=[。；;\n]|$)/gu,
  /(?:使用场景|适用场景|触发场景|触发条件|使用時機|触发词|触发关键词)\s?[:：]\s?([^。\n]{4,120}?)(?=[。\n]|$)/gu,
  /(?:^|[。、\n])([^。、\n]{4,80})(?:とき|時|場合|際|たい場面)に(?:は|、)?(?:使用|利用|使う|起動|発動|適用|呼び出|活用)[^。\n]{0,12}/gu,
  /(?:^|[.。\n])\s?([^.。\n]{4,80}?)\s(?:때|경우)(?:에|에는)?,?\s?(?:사용|활용|호출|적용|실행)[^.。\n]{0,10}/gu,
];

/** What stands at the beginning of a clause, before what the user needs. */
const BEGINNINGS: readonly RegExp[] = [
  /^(?:(?:the|a|your|any) )?(?:user|users|you|someone|claude|people|developers?|agent|team|request|task)s?\b(?:['’]s)? (?:(?:explicitly|specifically|also|just|simply|first) )*(?:(?:is|are) )?(?:(?:asks?|asking|asked|wants?|wanting|needs?|needing|says?|saying|requests?|requesting|mentions?|mentioning|tries|trying|would like|invokes?|involves?|has|have|provides?|describes?|discusses?)\b ?(?:(?:you|claude|for help|help|assistance|me)\b ?)?)?(?:(?:to|for|about|with|that|how to|something like|phrases like|or \w+ to)\b )*/iu,
  /^(?:for|when|if you|need(?:ing)?(?: to)?|you(?:'re| are)) /iu,
  /^(?:想要|想|需要|要求|希望|说|說|提到|提及|询问|詢問|请求|涉及|要)/u,
  /^(?:ユーザーが|ユーザが)/u,
  /^(?:사용자가|유저가)\s?/u,
];

/**
 * The "use when" clauses of a description, without "the user wants to" and the like at their beginning. Each part
 * covers "use when", too.
 */
function useWhenClauses(description: string): TextPart[] {
  const found: TextPart[] = [];
  for (const pattern of PATTERNS) {
    for (const match of description.matchAll(pattern)) {
      const { index } = match;
      const [whole, clause = ''] = match;
      if (isDenied(description, index) || found.some(({ begin, end }) => index < end && index + whole.length > begin)) {
        continue;
      }
      found.push({ text: withoutBeginning(clause), begin: index, end: index + whole.length });
    }
  }
  return found;
}

/** What the user needs: a clause without "the user wants to". */
function withoutBeginning(clause: string): string {
  const words = clause
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[,;:，、；：]+$/u, '');
  for (const beginning of BEGINNINGS) {
    const rest = words.replace(beginning, '');
    if (rest !== words) return rest.trim();
  }
  return words;
}

/** A part of a text. */
interface TextPart {
  readonly text: string;
  /** Where it begins and ends in the whole, its marks included. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Quotation marks of many languages. A straight mark opens after no letter or digit of Latin script and closes before
 * none, so that inches, feet and apostrophes are no marks.
 */
const QUOTED = [
  /(?<![\w])"([^"\n]{2,160})"(?![\w])/gu,
  /(?<![\p{L}\p{N}])'([\p{L}\p{N}][^'\n]{2,158})'(?![\p{L}\p{N}])/gu,
  /“([^“”\n]{2,160})”/gu,
  /‘([^‘’\n]{2,160})’/gu,
  /„([^„“”\n]{2,160})[“”]/gu,
  /«\s?([^«»\n]{2,160}?)\s?»/gu,
  /「([^「」\n]{2,160})」/gu,
  /『([^『』\n]{2,160})』/gu,
];

/** The phrases in quotation marks, in the order of the text. Of nested ones only the outer. */
function quotedPhrases(text: string): TextPart[] {
  const found: TextPart[] = [];
  for (const marks of QUOTED) {
    for (const match of text.matchAll(marks)) {
      const [whole, inner = ''] = match;
      const words = inner.trim().replace(/[,，、.。…]+$/u, '');
      // A pair that begins or ends with punctuation is the gap between two phrases.
      if (!/^[\p{L}\p{N}¿¡/@#]/u.test(words) || !/[\p{L}\p{N}?？!！+#)）]$/u.test(words)) continue;
      found.push({ text: words, begin: match.index, end: match.index + whole.length });
    }
  }
  found.sort((a, b) => a.begin - b.begin || b.end - a.end);
  return found.filter((part, i) => i === 0 || part.begin >= found[i - 1]!.end);
}

/** English words that separate: function words, and what descriptions of skills say of any subject. */
const ENGLISH_FILLERS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it its no not of on or such that the their then there these they this
  to was will with about above across after against all along also always among any anything around as back based been
  before being below best better between both can could do does doing done down during each either else etc ever every
  everything existing few first following from full further general get gets give given go good great had has have
  having help helper helps here high how i ie eg including include includes instead itself just keep key kind last
  less let like look made main major make makes making many may me might more most much multiple must my need needed
  needs never new next non now off once one only other others otherwise our out over own per please possible proper
  properly provide provided provides providing put rather ready real really related right same see several should
  since so some something specific still such sure take takes than them themselves thing things those three through
  throughout too two under until up upon us use used user users uses using usually various very via want wants was way
  ways we well were what whatever when whenever where whether which while who whole whose why within without work
  working works would yet you your yourself skill skills trigger triggers triggered ask asks asking asked mention
  mentions mentioned invoke invoked invokes activate activates claude agent agents expert guide guides guidance
  comprehensive complete ensure ensures enable enables cover covers covering handle handles handling support supports
  supporting supported allow allows offer offers includes e.g i.e vs versus say says saying phrase phrases keyword
  keywords task tasks request requests requested requesting scenario scenarios context purpose proactively
  automatically available appropriate current different common involves involve involved enforces applies apply needs
  important additional necessary end-to-end step-by-step production-ready best-practices`.split(/\s+/),
);

const WORD_OR_GAP = /[\p{L}\p{N}][\p{L}\p{N}+#]*(?:[.'’/-][\p{L}\p{N}+#]+)*|[^\p{L}\p{N}\s]+|\n\s*\n/gu;
const CLAUSE_MARK = /[、，,。.；;：:！!？?()（）[\]【】「」“”"'‘’/|\n→—–-]+/u;
/** Katakana and Hangul without a space are a single word. */
const SINGLE_WORD = /^(?:[\p{Script=Katakana}ー・]+|[\p{Script=Hangul}\w]+)$/u;
const UNSPACED_FILLER =
  /用户|用戶|使用|用于|用於|适用|技能|触发|时候|当|需要|支持|包括|提供|进行|以及|或者|通过|基于|不|スキル|ユーザー|場合|ため|する|です|ます|とき|사용|스킬|합니다|할 때|경우|위한/u;

/** Runs have at most this many words: what a person types who does not write sentences. */
const LONGEST = 3;

/**
 * Two or three words that stand together between words that say little, and punctuation. The candidates of RAKE (S.
 * Rose et al., Automatic Keyword Extraction from Individual Documents, 2010). Of Chinese, Japanese and Korean, which do
 * not show words so, short clauses between marks.
 *
 * @param language of the text, ISO 639-1
 */
function wordRuns(text: string, language: string): string[] {
  return UNSPACED_CHARACTER.test(text) ? unspacedRuns(text) : spacedRuns(text, language);
}

function spacedRuns(text: string, language: string): string[] {
  const others = isListedLanguage(language) ? functionWords(language) : undefined;
  const runs: string[] = [];
  let run: string[] = [];
  const close = (): void => {
    if (run.length >= 2 && run.length <= LONGEST) runs.push(run.join(' '));
    run = [];
  };
  for (const [part] of text.matchAll(WORD_OR_GAP)) {
    const word = foldCase(part);
    const separates =
      !/^[\p{L}\p{N}]/u.test(part) || ENGLISH_FILLERS.has(word) || others?.has(foldAccents(word)) === true;
    if (separates || /^\d+$/.test(part)) close();
    else run.push(part);
  }
  close();
  return runs.filter((words) => isSpoken(words) && words.length >= 7);
}

function unspacedRuns(text: string): string[] {
  return text
    .split(CLAUSE_MARK)
    .map((clause) => clause.trim())
    .filter((clause) => {
      const size = sizeOf(clause);
      return (
        size >= 2 &&
        size <= 6 &&
        UNSPACED_CHARACTER.test(clause) &&
        isSpoken(clause) &&
        !UNSPACED_FILLER.test(clause) &&
        !SINGLE_WORD.test(clause)
      );
    });
}

/** Words after which a text says what a skill is not for. */
const NEGATION =
  /\b(?:not|cannot|never|instead|rather than|unlike|avoid|except|skip|exclud\w*|unless|no|nicht|statt|no para|jamais|ne|nunca|não)\b|n['’]t\b|不要|不适用|不適用|不用于|不应|不需要|请勿|勿|禁止|而非|而不是|不是|除外|ない|ではなく|しません|않|아닌|말고|제외/iu;

/** Where a sentence ends. A stop within a word (`e.g`) does not. */
const SENTENCE_END = /[.!?](?=\s)|[。！？；;\n]/gu;

/** Whether the sentence that a character of a text is in denies before that character: "not for …", "instead of …". */
function isDenied(text: string, at: number): boolean {
  let begin = 0;
  for (const { index } of text.slice(0, at).matchAll(SENTENCE_END)) begin = index + 1;
  return NEGATION.test(text.slice(begin, at));
}

/** Marks of code, paths, templates and left-out parts: nobody types them. */
const NOT_SPOKEN =
  /[{}<>=;\\|$`[\]~^]|https?:|\/\/|\w\(|\(\)|[\w-]\.(?:md|ts|js|py|sh|json|ya?ml|toml|txt)\b|\b(?:XX+|XYZ|[XYN])\b|…|\.\.\.|_\w+_/u;

const UNSPACED = new RegExp(UNSPACED_CHARACTER.source, 'gu');
const WORDS = /[\p{L}\p{N}]+(?:['’.+#-][\p{L}\p{N}+#]+)*/gu;

/**
 * The form in which phrases are compared: words in lower case with spaces between, without punctuation. Equal phrases
 * of several skills count as one.
 */
export function phraseKey(text: string): string {
  return (foldCase(normaliseText(text)).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

/** The length of a text in words. Two characters of a script without spaces count as a word. */
function sizeOf(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  const others = unspaced === 0 ? text : text.replace(UNSPACED, ' ');
  return (others.match(WORDS)?.length ?? 0) + unspaced / 2;
}

/** Letters in capitals only: constants and shouts. */
const CAPITALS_ONLY = /^[^\p{Ll}\p{Lo}]*$/u;

/** Whether a text could be what a person types: no code, no paths, no placeholders. */
function isSpoken(text: string): boolean {
  return (
    !NOT_SPOKEN.test(text) && !CAPITALS_ONLY.test(text) && /\p{L}{2}|[\p{Script=Han}\p{Script=Hangul}]/u.test(text)
  );
}

/** A text in one line, without marks of Markdown. Links become their text. */
function plainText(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|[`*]/g, '')
    .replace(/[\p{Extended_Pictographic}\ufe0f]/gu, (character) => (/\d/.test(character) ? character : ''))
    .replace(/\s+/g, ' ')
    .trim();
}
