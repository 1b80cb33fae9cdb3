import { foldAccents, foldCase } from '../text/characters.js';
import { functionWords, isListedLanguage } from '../text/language/function-words.js';
import { UNSPACED_CHARACTER } from '../text/unspaced-scripts.js';
import { isSpoken, sizeOf } from './phrase-text.js';

/** English words that separate: function words, and what descriptions of skills say of any subject. */
export const ENGLISH_FILLERS: ReadonlySet<string> = new Set(
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
export function wordRuns(text: string, language: string): string[] {
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
