import type { AskedWords } from './keyword/asked-words.js';
import { matchFiles } from './keyword/file-matches.js';
import type { Answers, KeywordDocument } from './keyword/keyword-index.js';
import { matchedTerms } from './keyword/matched-terms.js';
import { makeSnippet } from './keyword/snippet.js';
import { documentOf } from './keyword-documents.js';
import type { KeywordHit, MatchedTerms, SemanticHit, Snippet } from './result.js';
import type { SemanticMatch } from './semantic-search.js';
import type { CatalogueReader } from './store/catalogue-reader.js';

/** What is known of a document that a keyword search shows. */
export interface KeywordMatch {
  readonly number: number;
  /** Undefined where the order is not by relevance. */
  readonly score: number | undefined;
  /** How many documents it stands for, itself included. */
  readonly copies: number;
}

/** Reads what a hit shows of its document. What explains it is worked out when it is first looked at. */
export function toKeywordHit(
  reader: CatalogueReader,
  { number, score, copies }: KeywordMatch,
  answers: Answers,
): KeywordHit {
  const skill = reader.skill(number);
  // File text answers from the second step on. It is read now: the catalogue may be closed when it is looked at.
  const files = answers.step === 'all-words' ? [] : reader.texts(number);
  const explained = explaining({ ...documentOf(reader, number, skill), files }, answers);
  return {
    skill,
    ...(score === undefined ? {} : { score }),
    get matches() {
      return explained.matches();
    },
    get snippet() {
      return explained.snippet();
    },
    copies,
  };
}

/** Reads what a hit shows of its document, and which of its files is shown. */
export function toSemanticHit(
  reader: CatalogueReader,
  { number, score, parts, copies }: SemanticMatch,
  asked: AskedWords,
  explain: boolean,
): SemanticHit {
  const skill = reader.skill(number);
  const document = documentOf(reader, number, skill);
  const { filename, terms } = matchFiles(document, asked);
  const answers = { step: 'some-words', accepts: (term: string): boolean => asked.wordOf(term) >= 0 } as const;
  const best = document.files.filter((file) => file.filename === filename);
  const explained = explaining({ ...document, files: best }, answers, terms);
  return {
    fileId: `${skill.id}/${filename}`,
    filename,
    score,
    skill,
    get matches() {
      return explained.matches();
    },
    get snippet() {
      return explained.snippet();
    },
    copies,
    ...(explain ? { explain: parts } : {}),
  };
}

/** @param fileTerms the matched terms of the files, where they are known */
function explaining(
  document: KeywordDocument,
  answers: Answers,
  fileTerms?: readonly string[],
): { readonly matches: () => MatchedTerms; readonly snippet: () => Snippet } {
  let matches: MatchedTerms | undefined;
  let snippet: Snippet | undefined;
  const findMatches = (): MatchedTerms => {
    if (fileTerms === undefined) return matchedTerms(document, answers);
    const files = fileTerms.length === 0 ? {} : { files: fileTerms };
    return { ...matchedTerms({ ...document, files: [] }, answers), ...files };
  };
  return {
    matches: () => {
      matches ??= findMatches();
      return matches;
    },
    snippet: () => {
      snippet ??= makeSnippet(document, answers);
      return snippet;
    },
  };
}
