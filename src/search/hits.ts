import { type DocumentNumber, isDamage, topOf } from '../core/index.js';
import { toDocument } from '../indexing/index.js';
import {
  type AskedWords,
  type KeywordDocument,
  makeSnippet,
  matchedTerms,
  matchFiles,
  type TermMatcher,
} from '../keyword/index.js';
import type { DamagedSkill, KeywordHit, MatchedTerms, SemanticHit, Snippet } from '../result.js';
import type { Skill } from '../skill.js';
import { type CatalogueReader, copiesOf, copyPreference } from '../store/index.js';
import { once } from './once.js';
import type { OpenState } from './open-state.js';
import type { SemanticMatch } from './rank-candidates.js';

/**
 * Reads what a hit shows of its document. `matches` and `snippet` are worked out when they are first read.
 *
 * @param mostText characters of its files, at most, that these two look at
 */
export function toKeywordHit(
  reader: CatalogueReader,
  document: DocumentNumber,
  { score, copies }: { readonly score: number | undefined; readonly copies: number },
  matcher: TermMatcher,
  mostText: number,
): KeywordHit {
  const skill = reader.skill(document);
  // The first step does not look at files. For later ones they are read now: the catalogue may be closed later. What is
  // packed of them is unpacked when it is looked at.
  const files = matcher.step === 'all-words' ? [] : reader.texts(document);
  const explanation = explanationOf(skill, matcher, () => firstText(files, mostText));
  return {
    skill,
    ...(score === undefined ? {} : { score }),
    get matches() {
      return explanation.matches();
    },
    get snippet() {
      return explanation.snippet();
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
  match: SemanticMatch,
  asked: AskedWords,
  copyIdsOf: ((match: SemanticMatch) => readonly string[]) | undefined,
): SemanticHit {
  const { document, score, parts, copies } = match;
  const skill = reader.skill(document);
  const files = reader.texts(document);
  const inFiles = once(() => matchFiles(files, asked));
  // A single file is the one to name, so its text need not be searched yet.
  const [only] = files;
  const filename = only === undefined || files.length > 1 ? inFiles().filename : only.filename;
  const best = files.filter((file) => file.filename === filename);
  const matcher = { step: 'some-words', accepts: (term: string): boolean => asked.wordOf(term) >= 0 } as const;
  const termsInFiles = (): readonly string[] => inFiles().terms;
  const explanation = explanationOf(skill, matcher, () => best, termsInFiles);
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
    ...(copyIdsOf === undefined ? {} : { explain: { ...parts(), copies: copyIdsOf(match) } }),
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
 * What explains a hit, worked out when it is first asked for: few hits of a page ever are.
 *
 * @param files whose texts are looked at
 * @param termsInFiles finds the matched terms of all files, if `files` are only some of them
 */
function explanationOf(
  skill: Skill,
  matcher: TermMatcher,
  files: () => KeywordDocument['files'],
  termsInFiles?: () => readonly string[],
): { readonly matches: () => MatchedTerms; readonly snippet: () => Snippet } {
  const matches = (): MatchedTerms => {
    if (termsInFiles === undefined) return matchedTerms(toDocument(skill, files()), matcher);
    const terms = termsInFiles();
    return { ...matchedTerms(toDocument(skill, []), matcher), ...(terms.length > 0 && { files: terms }) };
  };
  return { matches: once(matches), snippet: once(() => makeSnippet(toDocument(skill, files()), matcher)) };
}

/** How many damaged skills an answer lists at most. */
const MOST_LISTED = 100;
const MAY_NOT_BE_FOUND = 'what is stored of it is damaged, so it may not be found';

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
      this.#damaged.push({ ...idOf(error.skill), reason: 'what is stored of it is damaged, so it is not shown' });
    }
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` if nothing can be shown although something was found */
  all(): T[] {
    // A failed search is never an empty result.
    if (this.#shown.length === 0 && this.#failure !== undefined) throw this.#failure;
    return this.#shown;
  }
}

/** Reads what an answer shows of some documents; see {@link Shown}. */
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
    .map((document) => ({ ...idOf(reader.idOrUndefined(document)), reason: MAY_NOT_BE_FOUND }))
    .filter(({ id }) => id === undefined || !ids.has(id));
  return { damaged: [...notShown, ...notIndexed] };
}

/** The part of a damaged skill that names it, if its id can be read. */
export function idOf(id: string | undefined): Pick<DamagedSkill, 'id'> {
  return id === undefined ? {} : { id };
}

/** The ids of a document and its copies from one place to another, in the order in which a search prefers them. */
export function copyIds(reader: CatalogueReader, document: DocumentNumber, from: number, to: number): string[] {
  const { columns } = reader;
  return reader.idsOf(topOf(copiesOf(document, columns.copyGroup), copyPreference(columns), from, to - from));
}

/** Adds `localPath` and `installations` to skills that were just read, if the catalogue was opened for that. */
export function addLocalPaths({ how, reader }: OpenState, hits: readonly { readonly skill: Skill }[]): void {
  if (!how.localPaths) return;
  reader.reading(() => {
    for (const { skill } of hits) Object.assign(skill, reader.localPathsOf(skill.id));
  });
}
