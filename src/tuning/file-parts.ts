import { withoutFrontMatter } from '../evaluation/without-front-matter.js';
import { isDenied } from './negation.js';
import { plainText } from './phrase-text.js';
import { quotedPhrases } from './quoted-phrases.js';
import { withoutBeginning } from './use-when-clauses.js';

/** What the text of a file offers for pairs. */
export interface FileParts {
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
export function fileParts(file: string): FileParts {
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
  const lines = withoutFrontMatter(file.slice(0, READ)).split(/\r?\n/);
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
