import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import {
  checkOptions,
  isPostgresAddress,
  MAX_DESCRIPTION,
  MAX_ID,
  MAX_NAME,
  makeFolder,
  type Names,
  namesOf,
  splitFrontMatter,
} from '../core/index.js';
import {
  BUNDLED_MODEL,
  buildCatalogue,
  copyCatalogue,
  inspectModel,
  type LoadProgress,
  type ModelOptions,
  type OpenOptions,
  openSkillSearch,
  removeSkills,
  type SharedOptions,
  type SkillSearch,
  SkillSearchError,
  type Source,
} from '../index.js';
import { type Benchmark, faultIn, type Gains, type Run, readId, readLines, readObjects } from './benchmark.js';

/** Which documents to search: exactly one of `documents`, `catalogue` and `database`, and changes to them. */
export interface CorpusOptions extends ModelOptions, SharedOptions {
  /** Path of a corpus in the BEIR layout: JSON Lines of `_id`, `title` and `text`, plain or gzip. */
  readonly documents?: string | undefined;
  /** Path of a source that a catalogue can be loaded from: JSON Lines, or a folder with `SKILL.md` files. */
  readonly catalogue?: string | undefined;
  /**
   * Path of a catalogue, or the address of a database of PostgreSQL, whose local copy is brought up to date once. It is
   * never changed: changes are made to a temporary copy.
   */
  readonly database?: string | undefined;
  /** Path of more documents, in the form of `documents`. @default none */
  readonly extra?: string | undefined;
  /** Path of file texts of the documents: JSON Lines of `_id` and `text`. @default none */
  readonly extraFiles?: string | undefined;
  /** Path of a list of ids, one a line: these documents are left out. @default none */
  readonly without?: string | undefined;
  /** Whether the text of files is searched. @default true */
  readonly files?: boolean | undefined;
  /**
   * Folder that keeps the catalogue made of `documents` or `catalogue`: the next run embeds only what has changed. It
   * is created if it does not exist.
   *
   * @default a temporary folder, which is removed at the end
   */
  readonly keep?: string | undefined;
  /** Like `stopWords` of `openSkillSearch`. @default the usual words of the language */
  readonly stopWords?: OpenOptions['stopWords'];
  /** Like `gloss` of `openSkillSearch`. @default true */
  readonly gloss?: boolean | undefined;
  /** Whether the documents need vectors: the modes `vector` and `hybrid` do. @default true */
  readonly semantic?: boolean | undefined;
  /** Called while documents are loaded and embedded. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Stops the work when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const CORPUS_OPTIONS: Names = namesOf<CorpusOptions>({
  documents: true,
  catalogue: true,
  database: true,
  cache: true,
  passwordFile: true,
  extra: true,
  extraFiles: true,
  without: true,
  files: true,
  keep: true,
  model: true,
  embedder: true,
  stopWords: true,
  gloss: true,
  semantic: true,
  onProgress: true,
  signal: true,
});

/** Documents that can be searched. */
export interface Corpus extends AsyncDisposable {
  /** The search over the documents. {@link Corpus.close} closes it. */
  readonly search: SkillSearch;
  /** Notes for people: rejected documents, unknown ids. */
  readonly remarks: readonly string[];
  /** Closes the search and removes temporary files. */
  close(): Promise<void>;
}

/** The documents of a benchmark as a catalogue. */
export interface CorpusFile {
  /** Path of its file, or the address that was given. */
  readonly path: string;
  readonly remarks: readonly string[];
  /** Removes what was temporary. */
  clear(): Promise<void>;
}

/**
 * Opens the documents of a benchmark. Loads them first unless they are a catalogue.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` unless exactly one of `documents`, `catalogue` and `database` is given;
 *   `SOURCE_NOT_FOUND`, `INVALID_SOURCE` for a file that cannot be read; also what `buildCatalogue` and
 *   `openSkillSearch` throw
 * @throws the signal's reason when aborted
 * @example
 * import { openCorpus } from 'skill-discovery/evaluation';
 *
 * await using corpus = await openCorpus({ documents: 'scifact/corpus.jsonl', keep: 'corpora' });
 * console.log(corpus.search.stats().skills, corpus.remarks);
 */
export async function openCorpus(options: CorpusOptions): Promise<Corpus> {
  checkOptions(options, CORPUS_OPTIONS);
  const { semantic = true, model, embedder, stopWords, gloss, signal } = options;
  const { path, remarks: made, clear } = await makeCorpusFile(options);
  try {
    const opening = { ...sharedOf(path, options), model, embedder, stopWords, gloss, warmUp: semantic, signal };
    const search = await openSkillSearch({ database: path, ...opening });
    const remarks = [...made, ...search.problems.warnings.map(({ message }) => message)];
    const close = async (): Promise<void> => {
      await search.close();
      await clear();
    };
    return { search, remarks, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await clear();
    throw error;
  }
}

/**
 * Makes the catalogue that {@link openCorpus} opens. A database that nothing is to be changed in is returned as it is.
 *
 * @throws as {@link openCorpus}
 */
export async function makeCorpusFile(options: CorpusOptions): Promise<CorpusFile> {
  const { documents, catalogue, database, files = true, keep } = options;
  if ([documents, catalogue, database].filter((one) => one !== undefined).length !== 1) {
    throw new SkillSearchError('INVALID_OPTION', 'exactly one of documents, catalogue and database must be given');
  }
  const remarks: string[] = [];
  let folder: string | undefined;
  const temporary = async (name: string): Promise<string> => {
    folder ??= await mkdtemp(join(tmpdir(), 'skill-discovery-evaluate-'));
    return join(folder, name);
  };
  const clear = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    let path = database;
    if (path === undefined) {
      const source = documents === undefined ? catalogue! : { name: 'documents', rows: readCorpus(documents, files) };
      path = keep === undefined ? await temporary('corpus.db') : await keptFile(keep, options);
      await build(path, { source, prune: true, options, remarks });
    }
    return { path: await changed(path, { options, remarks, temporary }), remarks, clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** How a catalogue in PostgreSQL is reached; nothing for a file that was made. */
function sharedOf(path: string, { database, cache, passwordFile }: CorpusOptions): SharedOptions {
  return path === database ? { cache, passwordFile } : {};
}

/** More remarks of one kind are counted, not listed. */
const MAX_REMARKS = 5;

/** What the making of a catalogue works with. Remarks are added to. */
interface Making {
  readonly options: CorpusOptions;
  readonly remarks: string[];
}

/**
 * Applies `extra`, `extraFiles`, `without` and `files` to a copy of a catalogue.
 *
 * @returns the path of the copy; of the catalogue itself where nothing is to change
 */
async function changed(
  base: string,
  { options, remarks, temporary }: Making & { readonly temporary: (name: string) => Promise<string> },
): Promise<string> {
  const { extra, extraFiles, without, files = true, semantic = true, signal } = options;
  // Documents are loaded without files in the first place.
  const strip = !files && options.documents === undefined;
  if (extra === undefined && extraFiles === undefined && without === undefined && !strip) return base;

  const added = new Map<string, CorpusRow>();
  if (extra !== undefined) for await (const row of readCorpus(extra, files)) added.set(row.id, row);
  const texts = files && extraFiles !== undefined ? await readFileTexts(extraFiles) : new Map<string, FileText[]>();
  const omitted = without === undefined ? new Set<string>() : await readIds(without);
  signal?.throwIfAborted();

  const shared = sharedOf(base, options);
  await using source = await openSkillSearch({ database: base, ...shared, signal });
  if (semantic && source.stats().skills > 0 && source.stats().vectors === 0) {
    // An address may have a password.
    const shown = isPostgresAddress(base) ? 'the catalogue' : base;
    const message = `${shown} has no vectors: load its sources again with vectors (the load says so if it cannot make any), or evaluate by words only`;
    throw new SkillSearchError('NO_VECTORS', message, { path: shown });
  }
  const present = new Set(source.ids());
  const withoutDocument = [...texts.keys()].filter((id) => !added.has(id) && (!present.has(id) || omitted.has(id)));
  const unknown = [...omitted].filter((id) => !present.has(id));
  remarks.push(...unknownIds(unknown, 'to leave out'), ...unknownIds(withoutDocument, 'with file text'));

  const path = await temporary('changed.db');
  await copyCatalogue({ from: base, ...shared, to: path });
  const removed = [...omitted].filter((id) => present.has(id));
  if (removed.length > 0) await removeSkills({ database: path, ids: removed });
  const rows = changedRows(source, { added, texts, strip, omitted });
  await build(path, { source: { name: 'changed documents', rows }, prune: false, options, remarks });
  return path;
}

async function build(
  database: string,
  { source, prune, options, remarks }: Making & { readonly source: Source; readonly prune: boolean },
): Promise<void> {
  const { semantic = true, model, embedder, onProgress, signal } = options;
  const report = await buildCatalogue({
    ...{ database, sources: [source], prune, semantic, onProgress, signal },
    ...(semantic ? { model, embedder } : {}),
  });
  const { failed, rejected, warnings } = report;
  if (failed[0] !== undefined)
    throw new SkillSearchError('INVALID_SOURCE', failed[0].reason, { path: failed[0].origin });
  const all = [
    ...rejected.map(({ line, reason }) => `a document is left out (number ${line ?? '?'}: ${reason})`),
    ...warnings.map(({ line, message }) => `${line === undefined ? '' : `document ${line}: `}${message}`),
  ];
  remarks.push(...all.slice(0, MAX_REMARKS));
  if (all.length > MAX_REMARKS) remarks.push(`and ${all.length - MAX_REMARKS} more remarks on documents`);
}

function unknownIds(ids: readonly string[], what: string): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, MAX_REMARKS).map((id) => JSON.stringify(id));
  const more = ids.length > MAX_REMARKS ? ', …' : '';
  return [`${ids.length} unknown ${ids.length === 1 ? 'id' : 'ids'} ${what}: ${shown.join(', ')}${more}`];
}

interface Changes {
  readonly added: ReadonlyMap<string, CorpusRow>;
  readonly texts: ReadonlyMap<string, readonly FileText[]>;
  /** Whether file texts are removed. */
  readonly strip: boolean;
  readonly omitted: ReadonlySet<string>;
}

/** The rows that are new or differ from those of a catalogue. */
function* changedRows(source: SkillSearch, { added, texts, strip, omitted }: Changes): Generator<unknown> {
  for (const id of strip ? source.ids() : texts.keys()) {
    const skill = added.has(id) || omitted.has(id) ? undefined : source.get(id);
    if (skill !== undefined) yield { ...skill, files: texts.get(id) ?? [] };
  }
  for (const row of added.values()) {
    const files = texts.get(row.id);
    yield files === undefined ? row : { ...row, files };
  }
}

/**
 * The path of a kept catalogue. Its name has a hash of the source, of the model and of whether it has file texts: no
 * two corpora share a file, and no load meets vectors of another model.
 */
async function keptFile(folder: string, options: CorpusOptions): Promise<string> {
  const { documents, catalogue, files = true, semantic = true, model, embedder } = options;
  const source = resolve(documents ?? catalogue ?? '');
  const by = semantic ? (embedder?.model ?? (await inspectModel(model ?? BUNDLED_MODEL)).id) : '';
  const made = JSON.stringify([source, files || documents === undefined, by]);
  const hash = createHash('sha256').update(made).digest('hex').slice(0, 12);
  // The documents of a benchmark are all called `corpus.jsonl`; its folder tells which they are.
  const name = basename(documents === undefined ? source : resolve(source, '..')).replace(/[^\w.-]+/g, '-');
  makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
  return join(folder, `${name}-${hash}.db`);
}

/** Characters of a file's text that are used: as many as in the catalogues that the benchmarks were made for. */
const MAX_FILE_TEXT = 2000;
/** Characters of the text that replace a missing title. */
const MAX_TITLE = 80;

/** A file of a skill. */
interface FileText {
  readonly filename: string;
  readonly text: string;
}

/** A document as the row of a skill. */
interface CorpusRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly files?: readonly FileText[];
}

/**
 * The documents of a corpus, `{_id, title, text}` a line, as rows. The title becomes the name, or the beginning of the
 * text if there is no title. The text becomes the description. A load rejects an empty document for its description.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
async function* readCorpus(path: string, files: boolean): AsyncGenerator<CorpusRow> {
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id']);
    const { title = '', text } = row;
    if (id === undefined || typeof title !== 'string' || typeof text !== 'string') {
      throw faultIn(path, line, 'expected a document: an object with `_id`, `title` and `text`');
    }
    if (cut(id, MAX_ID) !== id) throw faultIn(path, line, `expected an id of at most ${MAX_ID} characters`);
    const name = title.trim() === '' ? cut(text.trim(), MAX_TITLE) : cut(title.trim(), MAX_NAME);
    const whole = text.trim() === '' ? title.trim() : text.trim();
    const description = cut(whole, MAX_DESCRIPTION);
    const rest = files && description !== whole ? { files: [{ filename: 'SKILL.md', text: whole }] } : {};
    yield { id, name, description, ...rest };
  }
}

/**
 * File texts, `{_id, text}` a line, by the id of their document: without front matter, at most 2,000 characters. A line
 * may have `id` instead of `_id`, and a `filename` other than `SKILL.md`.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
async function readFileTexts(path: string): Promise<Map<string, FileText[]>> {
  const texts = new Map<string, FileText[]>();
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id'] ?? row['id']);
    const { filename = 'SKILL.md', text } = row;
    if (id === undefined || typeof text !== 'string' || typeof filename !== 'string') {
      throw faultIn(path, line, 'expected the text of a file: an object with `_id` and `text`');
    }
    const others = (texts.get(id) ?? []).filter((file) => file.filename !== filename);
    texts.set(id, [...others, { filename, text: cut(splitFrontMatter(text).body.trim(), MAX_FILE_TEXT) }]);
  }
  return texts;
}

/**
 * Ids, one a line.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE`
 */
export async function readIds(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { text } of readLines(path)) ids.add(text.trim());
  return ids;
}

/** The first characters (code points) of a text. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = Array.from(text.slice(0, 2 * max));
  return characters.slice(0, max).join('');
}

/** Benchmarks and runs in which a group of copies is one document. */
export interface CopiesAsOne {
  /** The id that a group of copies gets, by the id of any of its members. */
  shownFor(id: string): string;
  /** Gives a group the highest gain of its members. */
  benchmark(benchmark: Benchmark): Benchmark;
  /** Keeps the best of a group. */
  run(run: Run): Run;
}

/** Each group gets the id of the skill that a search shows for it. An id that is not in the catalogue stays. */
export function copiesAsOne(search: SkillSearch): CopiesAsOne {
  const shown = new Map<string, string>();
  const shownFor = (id: string): string => {
    const known = shown.get(id);
    if (known !== undefined) return known;
    const [first = id, ...others] = search.copiesOf(id);
    for (const copy of [id, first, ...others]) shown.set(copy, first);
    return first;
  };
  const ofGroups = (gains: Gains): Gains => {
    const best = new Map<string, number>();
    for (const [id, gain] of gains) {
      const group = shownFor(id);
      best.set(group, Math.max(gain, best.get(group) ?? gain));
    }
    return best;
  };
  const ofAll = (gains: ReadonlyMap<string, Gains>): ReadonlyMap<string, Gains> =>
    new Map(Array.from(gains, ([question, of]) => [question, ofGroups(of)]));
  return {
    shownFor,
    benchmark: ({ gains, grades, ...rest }) => {
      return { ...rest, gains: ofAll(gains), grades: grades && ofAll(grades) };
    },
    run: (run) =>
      new Map(
        Array.from(run, ([question, ranking]) => {
          const seen = new Set<string>();
          const isFirst = (id: string): boolean => seen.size < seen.add(id).size;
          return [question, ranking.map((one) => ({ ...one, id: shownFor(one.id) })).filter(({ id }) => isFirst(id))];
        }),
      ),
  };
}
