import { toDocument } from '../indexing/keyword-documents.js';
import type { AskedWords } from '../keyword/explain/asked-words.js';
import { type FileMatches, matchFiles } from '../keyword/explain/file-matches.js';
import { matchedTerms } from '../keyword/explain/matched-terms.js';
import { makeSnippet } from '../keyword/explain/snippet.js';
import type { AcceptedTerms, KeywordDocument, KeywordMatches } from '../keyword/keyword-index.js';
import type { KeywordHit, MatchedTerms, SemanticHit, Snippet } from '../result.js';
import type { Skill } from '../skill.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';
import type { SemanticMatch } from './semantic-search.js';

/** What is known of a document that a keyword search shows. */
export interface KeywordMatch {
  readonly number: number;
  /** Undefined where the order is not by relevance. */
  readonly score: number | undefined;
  /** How many documents it stands for, itself included. */
  readonly copies: number;
}

/**
 * Which terms answered a question. They are read now: a hit may be looked at, and kept, long after the search was closed,
 * and must not keep the index.
 */
export function answersOf({ step, accepting }: KeywordMatches): AcceptedTerms {
  return { step, accepts: accepting() };
}

/** Reads what a hit shows of its document. What explains it is worked out when it is first looked at. */
export function toKeywordHit(
  reader: CatalogueReader,
  { number, score, copies }: KeywordMatch,
  answers: AcceptedTerms,
): KeywordHit {
  const skill = reader.skill(number);
  // File text answers from the second step on. It is read now: the catalogue may be closed when it is looked at.
  const files = answers.step === 'all-words' ? [] : reader.texts(number);
  const explained = explaining(skill, files, answers);
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

/**
 * Reads what a hit shows of its document, and which of its files is shown.
 *
 * @param copiesOf ids of all that a document is a copy of, itself included; needed where hits are explained only
 */
export function toSemanticHit(
  reader: CatalogueReader,
  { number, score, parts, copies }: SemanticMatch,
  asked: AskedWords,
  copiesOf: ((number: number) => readonly string[]) | undefined,
): SemanticHit {
  const skill = reader.skill(number);
  const files = reader.texts(number);
  let found: FileMatches | undefined;
  const inFiles = (): FileMatches => {
    found ??= matchFiles(files, asked);
    return found;
  };
  // Where there is a choice of files the best one is told, for which all of them are gone through.
  const [only] = files;
  const filename = only === undefined || files.length > 1 ? inFiles().filename : only.filename;
  const best = files.filter((file) => file.filename === filename);
  const answers = { step: 'some-words', accepts: (term: string): boolean => asked.wordOf(term) >= 0 } as const;
  const explained = explaining(skill, best, answers, () => inFiles().terms);
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
    ...(copiesOf === undefined ? {} : { explain: { ...parts(), copies: copiesOf(number) } }),
  };
}

/** @param termsInFiles finds the matched terms of the files, where they are known better than by the document */
function explaining(
  skill: Skill,
  files: KeywordDocument['files'],
  answers: AcceptedTerms,
  termsInFiles?: () => readonly string[],
): { readonly matches: () => MatchedTerms; readonly snippet: () => Snippet } {
  const document = (): KeywordDocument => toDocument(skill, files);
  let matches: MatchedTerms | undefined;
  let snippet: Snippet | undefined;
  const findMatches = (): MatchedTerms => {
    if (termsInFiles === undefined) return matchedTerms(document(), answers);
    const terms = termsInFiles();
    const inFiles = terms.length === 0 ? {} : { files: terms };
    return { ...matchedTerms(toDocument(skill, []), answers), ...inFiles };
  };
  return {
    matches: () => {
      matches ??= findMatches();
      return matches;
    },
    snippet: () => {
      snippet ??= makeSnippet(document(), answers);
      return snippet;
    },
  };
}
