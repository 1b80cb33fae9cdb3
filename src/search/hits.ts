import { type DocumentNumber, isDamage, type SkillSearchError, topOf } from '../core/index.js';
import { toDocument } from '../indexing/index.js';
import {
  type AskedWords,
  type FileMatches,
  type KeywordDocument,
  type KeywordMatches,
  makeSnippet,
  matchedTerms,
  matchFiles,
  type TermMatcher,
} from '../keyword/index.js';
import type { DamagedSkill, KeywordHit, MatchedTerms, SemanticHit, Snippet } from '../result.js';
import type { Skill } from '../skill.js';
import { type CatalogueReader, copiesOf, copyPreference } from '../store/index.js';
import type { OpenState } from './open-state.js';
import type { SemanticMatch } from './rank-candidates.js';

/** A document on a page of a keyword search. */
export interface KeywordMatch {
  readonly document: DocumentNumber;
  /** Undefined unless the order is by relevance. */
  readonly score: number | undefined;
  /** How many documents it stands for, itself included. */
  readonly copies: number;
}

/**
 * What explains the hits of an answer. It is taken from the index at once: a caller may look at a hit, or keep it, long
 * after the search was closed, and must not keep the index in memory.
 */
export function termMatcherOf({ step, accepting }: KeywordMatches): TermMatcher {
  return { step, accepts: accepting() };
}

/**
 * Reads what a hit shows of its document. `matches` and `snippet` are worked out when they are first read.
 *
 * @param mostText characters of its files, at most, that these two look at
 */
export function toKeywordHit(
  reader: CatalogueReader,
  { document, score, copies }: KeywordMatch,
  matcher: TermMatcher,
  mostText: number,
): KeywordHit {
  const skill = reader.skill(document);
  // The first step does not look at files. For later ones they are read now: the catalogue may be closed later. What is
  // packed of them is unpacked when it is looked at.
  const files = matcher.step === 'all-words' ? [] : reader.texts(document);
  // Few hits of a page are ever explained.
  let explanation: ReturnType<typeof explain> | undefined;
  const explained = (): ReturnType<typeof explain> => {
    explanation ??= explain(skill, () => firstText(files, mostText), matcher);
    return explanation;
  };
  return {
    skill,
    ...(score === undefined ? {} : { score }),
    get matches() {
      return explained().matches();
    },
    get snippet() {
      return explained().snippet();
    },
    copies,
  };
}

/**
 * Reads what a hit shows of its document, and chooses the file that it names.
 *
 * @param copyIdsOf lists the ids of a document's copies, itself included; undefined if hits are not explained
 */
export function toSemanticHit(
  reader: CatalogueReader,
  { document, score, parts, copies }: SemanticMatch,
  asked: AskedWords,
  copyIdsOf: ((document: DocumentNumber) => readonly string[]) | undefined,
): SemanticHit {
  const skill = reader.skill(document);
  const files = reader.texts(document);
  let found: FileMatches | undefined;
  const inFiles = (): FileMatches => {
    found ??= matchFiles(files, asked);
    return found;
  };
  // A single file is the one to name, so its text need not be searched yet.
  const [only] = files;
  const filename = only === undefined || files.length > 1 ? inFiles().filename : only.filename;
  const best = files.filter((file) => file.filename === filename);
  const matcher = { step: 'some-words', accepts: (term: string): boolean => asked.wordOf(term) >= 0 } as const;
  const explanation = explain(
    skill,
    () => best,
    matcher,
    () => inFiles().terms,
  );
  return {
    fileId: `${skill.id}/${filename}`,
    filename,
    score,
    skill,
    get matches() {
      return explanation.matches();
    },
    get snippet() {
      return explanation.snippet();
    },
    copies,
    ...(copyIdsOf === undefined ? {} : { explain: { ...parts(), copies: copyIdsOf(document) } }),
  };
}

/** The first characters of the text of some files. Files behind them have no text then. */
function firstText(files: KeywordDocument['files'], most: number): KeywordDocument['files'] {
  let left = most;
  return files.map(({ filename, text }) => {
    const first = text.slice(0, left);
    left -= first.length;
    return { filename, text: first };
  });
}

/**
 * What explains a hit, worked out when it is first read.
 *
 * @param files whose texts are looked at
 * @param termsInFiles finds the matched terms of all files, if `files` are only some of them
 */
function explain(
  skill: Skill,
  files: () => KeywordDocument['files'],
  matcher: TermMatcher,
  termsInFiles?: () => readonly string[],
): { readonly matches: () => MatchedTerms; readonly snippet: () => Snippet } {
  const searchable = (): KeywordDocument => toDocument(skill, files());
  let matches: MatchedTerms | undefined;
  let snippet: Snippet | undefined;
  const findMatches = (): MatchedTerms => {
    if (termsInFiles === undefined) return matchedTerms(searchable(), matcher);
    const terms = termsInFiles();
    const inFiles = terms.length === 0 ? {} : { files: terms };
    return { ...matchedTerms(toDocument(skill, []), matcher), ...inFiles };
  };
  return {
    matches: () => {
      matches ??= findMatches();
      return matches;
    },
    snippet: () => {
      snippet ??= makeSnippet(searchable(), matcher);
      return snippet;
    },
  };
}

/** How many damaged skills an answer lists at most. */
const MOST_LISTED = 100;

/** Collects what an answer shows. What is damaged is left out, and listed. */
export class Shown<T> {
  readonly #shown: T[] = [];
  readonly #damaged: DamagedSkill[];
  #failure: unknown;

  /** @param damaged gets what is left out */
  constructor(damaged: DamagedSkill[]) {
    this.#damaged = damaged;
  }

  add(read: () => T): void {
    try {
      this.#shown.push(read());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#failure ??= error;
      this.#damaged.push(notShown(error));
    }
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` if nothing can be shown although something was found */
  all(): T[] {
    // A failed search is never an empty result.
    if (this.#shown.length === 0 && this.#failure !== undefined) throw this.#failure;
    return this.#shown;
  }
}

/**
 * Reads what an answer shows of some documents; see {@link Shown}.
 *
 * @param read reads something of a document
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if nothing can be shown although something was found
 */
export function readShown<T>(
  documents: readonly DocumentNumber[],
  read: (document: DocumentNumber) => T,
  damaged: DamagedSkill[],
): T[] {
  const shown = new Shown<T>(damaged);
  for (const document of documents) shown.add(() => read(document));
  return shown.all();
}

/** The part of an answer that says what it may lack: what could not be shown, and skills that could not be indexed. */
export function damagedPart(
  reader: CatalogueReader,
  notShown: readonly DamagedSkill[],
): { readonly damaged?: readonly DamagedSkill[] } {
  if (notShown.length === 0 && reader.damaged.size === 0) return {};
  const ids = new Set(notShown.map(({ id }) => id));
  const notIndexed = [...reader.damaged]
    .slice(0, MOST_LISTED)
    .map((document) =>
      toDamagedSkill(reader.idOrUndefined(document), 'what is stored of it is damaged, so it may not be found'),
    )
    .filter(({ id }) => id === undefined || !ids.has(id));
  return { damaged: [...notShown, ...notIndexed] };
}

/** @param error of reading a skill */
function notShown({ skill }: SkillSearchError): DamagedSkill {
  return toDamagedSkill(skill, 'what is stored of it is damaged, so it is not shown');
}

export function toDamagedSkill(id: string | undefined, reason: string): DamagedSkill {
  return id === undefined ? { reason } : { id, reason };
}

/** The ids of a document and its copies from one place to another, in the order in which a search prefers them. */
export function copyIds(reader: CatalogueReader, document: DocumentNumber, from: number, to: number): string[] {
  const { columns } = reader;
  return reader.idsOf(topOf(copiesOf(document, columns.copyGroup), copyPreference(columns), from, to - from));
}

/** Adds `localPath` and `installations` to skills that were just read, if the catalogue was opened for that. */
export function addLocalPaths(
  { localPaths, reader }: Pick<OpenState, 'localPaths' | 'reader'>,
  skills: readonly Skill[],
): void {
  if (!localPaths) return;
  reader.reading(() => {
    for (const skill of skills) Object.assign(skill, reader.localPathsOf(skill.id));
  });
}
