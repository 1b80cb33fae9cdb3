import { trimWhiteSpace } from '../texts.js';

/** So many UTF-16 units at each end of a text are looked at, so that one of megabytes takes no longer. */
const LOOKED_AT = 50_000;

/** A line of prose, or what is left of one. */
interface Sentence {
  readonly text: string;
  /** How much it is like a request: 0 for what nobody asks with. */
  readonly weight: number;
}

/**
 * The request in a long text, wherever it stands: what asks for something, as people do it, without logs, code, stack
 * traces, tables and quoted mail, in the order of the text. First and last paragraphs are preferred.
 *
 * @param longest most characters (code points) of the result
 * @returns the text itself, trimmed, if it is no longer than that; the two ends of one that has no prose
 */
export function requestIn(text: string, longest: number): string {
  const looked = trimWhiteSpace(
    text.length > 2 * LOOKED_AT ? `${text.slice(0, LOOKED_AT)}\n\n${text.slice(-LOOKED_AT)}` : text,
  );
  if (isWithin(looked, longest)) return looked;
  const sentences = sentencesOf(looked);
  const best = sentences.map((_, i) => i).sort((a, b) => sentences[b]!.weight - sentences[a]!.weight || a - b);
  const kept: number[] = [];
  let left = longest;
  for (const i of best) {
    const { text: sentence, weight } = sentences[i]!;
    // What is much less of a request would only dilute it.
    if (weight === 0 || (kept.length > 0 && weight < sentences[best[0]!]!.weight / 2.5)) break;
    const length = [...sentence].length + 1;
    if (length > left) continue;
    kept.push(i);
    left -= length;
  }
  const request = kept.sort((a, b) => a - b).map((i) => sentences[i]!.text);
  return request.length === 0 ? bothEnds(looked, longest) : request.join('\n');
}

function isWithin(text: string, longest: number): boolean {
  return text.length <= longest || (text.length <= 2 * longest && [...text].length <= longest);
}

/**
 * The two ends of a long text, each without the word that was cut, with a blank between: a message says first or last
 * what it wants.
 */
function bothEnds(text: string, longest: number): string {
  const half = Math.floor(longest / 2);
  const head = [...text.slice(0, longest)].slice(0, half).join('');
  const tail = [...text.slice(-longest)].slice(1 - half).join('');
  return `${head.replace(/\s\S{0,64}$/u, '')} ${tail.replace(/^\S{0,64}\s/u, '')}`;
}

/** How lines begin that were pasted: of logs, stacks, quotes, tables, patches, lists of files, code. */
const PASTED =
  /^\s*(?:[>|}\])<+$%\\/]|#\S|@@|[-=*_]{2,}|at \S+[(:.]|File "|Traceback|\d{1,4}[-/.:]\d\d|\[\s*[\w:.-]*\]|(?:trace|debug|info|warn(?:ing)?|error|fatal|notice)\b\s*[:\]|-]|(?:const|let|var)\s+[\w{[]+[^.]*=|(?:import|export)\b.*(?:from|[{;])|(?:def|function)\b[^.]*\(|return\b.*;$|.*[;{]\s*$|(?:From|To|Cc|Sent|Date|Subject): |On .{4,60} wrote:)/i;

/** How people ask, at the beginning of a sentence or anywhere, in the languages that are asked in most. */
const ASKS =
  /^\W*(?:please|can|could|would|help|i(?:'d| would)? (?:want|need|like)|let'?s|how|what|which|make|create|write|build|generate|convert|draw|fix|add|find|fill|turn|extract|summari[sz]e|translate|analy[sz]e|review|explain|design|plan|prepare|update|check|test|deploy|set up|use|compare|draft|send|merge|render|clean|edit|give|show|tell|put|take|look|read|run)(?!\p{L})|^\W*(?:bitte|kannst|k[öo]nn|erstell|schreib|mach|peux|pou[rv]|crée|écri|fai[st]|puede|crea|escrib|haz|necesito|quiero|puoi|vorrei|preciso|quero|можешь|сдела|напиши|нужно|lütfen|proszę|kun je|maak)|\b(?:please|bitte|por favor|s'il (?:te|vous)|per favore)\b|пожалуйста|请|請|帮我|幫我|ください|下さい|たい(?:です|。|$)|ほしい|주세요|해\s?줘|من فضلك|कृपया|[?？؟]\s*$/iu;

/** Characters of a paragraph that may be nothing but a request. */
const SHORT = 600;

function sentencesOf(text: string): readonly Sentence[] {
  const paragraphs = text.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n\n').split(/\n\s*\n/);
  const blocks = paragraphs.map(proseIn);
  const [first, last] = [blocks.findIndex(isNotEmpty), blocks.findLastIndex(isNotEmpty)];
  return blocks.flatMap((block, number) => {
    const isAtEnd = number === first || number === last;
    const asks = block.some((sentence) => ASKS.test(sentence));
    // Most long messages are a short request and something that was pasted.
    const isClear = isAtEnd && asks && block.join('').length < SHORT ? 2 : 1;
    return block.map((sentence, i): Sentence => {
      const isFirstOrLast = (number === first && i === 0) || (number === last && i === block.length - 1);
      const favour = 1 + (ASKS.test(sentence) ? 2 : asks ? 1 : 0) + (isFirstOrLast ? 2 : isAtEnd ? 0.6 : 0);
      return { text: sentence, weight: proseShare(sentence) ** 2 * favour * isClear };
    });
  });
}

function isNotEmpty(block: readonly string[]): boolean {
  return block.length > 0;
}

/** Sentences of a paragraph: lines that follow one another are prose that was broken. */
function proseIn(paragraph: string): readonly string[] {
  const runs: string[][] = [[]];
  for (const line of paragraph.split('\n')) {
    if (PASTED.test(line) || proseShare(line) < (ASKS.test(line) ? LEAST_PROSE / 2 : LEAST_PROSE)) runs.push([]);
    else runs.at(-1)!.push(line.trim());
  }
  return runs.flatMap((lines) => lines.join(' ').match(SENTENCE) ?? []).map((sentence) => sentence.trim());
}

/** Up to its sign, or so many characters where there is none. */
const SENTENCE = /\S(?:[^.!?。！？]|[.!?](?=\S)){0,300}(?:[.!?。！？]+|$|(?=\s))|\S{1,300}/gu;

const LEAST_PROSE = 0.6;

/** How much of a text is words, without the signs and numbers that code, logs and tables have; 0 to 1. */
function proseShare(text: string): number {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const strange = text.match(/[{}[\]<>;=|\\$#@_~^&*+/]|\d+|\p{Ll}\p{Lu}|\w\.\w|\t/gu)?.length ?? 0;
  return letters === 0 ? 0 : letters / (letters + 4 * strange);
}
