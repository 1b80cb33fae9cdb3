import { checkOptions, isPostgresAddress } from '../core/index.js';
import {
  buildCatalogue,
  copyCatalogue,
  openSkillSearch,
  removeSkills,
  type SkillSearch,
  SkillSearchError,
} from '../index.js';
import { CorpusFiles, keptFile } from './corpus-files.js';
import { CORPUS_OPTIONS, type CorpusOptions } from './corpus-options.js';
import { type CorpusRow, type FileText, readCorpus, readFileTexts, readIds } from './corpus-rows.js';

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
  const { semantic = true, model, embedder, stopWords, signal } = options;
  const { path, remarks: made, clear } = await makeCorpusFile(options);
  // A catalogue that was loaded or changed is a file of its own.
  const shared = path === options.database ? sharedOf(options) : {};
  try {
    const opening = { ...shared, model, embedder, stopWords, warmUp: semantic, signal };
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
  const { documents, catalogue, database } = options;
  if ([documents, catalogue, database].filter((one) => one !== undefined).length !== 1) {
    throw new SkillSearchError('INVALID_OPTION', 'exactly one of documents, catalogue and database must be given');
  }
  const builder = new CorpusBuilder(options);
  try {
    const base = database ?? (await builder.load());
    const path = await builder.change(base);
    return { path, remarks: builder.remarks, clear: () => builder.clear() };
  } catch (error) {
    await builder.clear();
    throw error;
  }
}

function sharedOf({ cache, passwordFile }: CorpusOptions): Pick<CorpusOptions, 'cache' | 'passwordFile'> {
  return { ...(cache === undefined ? {} : { cache }), ...(passwordFile === undefined ? {} : { passwordFile }) };
}

/** More remarks of one kind are counted, not listed. */
const MAX_REMARKS = 5;

/** Makes a catalogue of files. */
class CorpusBuilder {
  readonly remarks: string[] = [];
  readonly #options: CorpusOptions;
  readonly #files = new CorpusFiles();

  constructor(options: CorpusOptions) {
    this.#options = options;
  }

  /**
   * Loads `documents` or `catalogue`.
   *
   * @returns the path of the catalogue
   */
  async load(): Promise<string> {
    const { documents, catalogue = '', files = true, keep } = this.#options;
    const source = documents === undefined ? catalogue : { name: 'documents', rows: readCorpus(documents, files) };
    const path = keep === undefined ? await this.#files.temporary('corpus.db') : await keptFile(keep, this.#options);
    await this.#build(path, source, true);
    return path;
  }

  /**
   * Applies `extra`, `extraFiles`, `without` and `files` to a copy of a catalogue.
   *
   * @returns the path of the copy; of the catalogue itself where nothing is to change
   */
  async change(base: string): Promise<string> {
    const { extra, extraFiles, without, files = true, semantic = true, signal } = this.#options;
    // Documents are loaded without files in the first place.
    const strip = !files && this.#options.documents === undefined;
    if (extra === undefined && extraFiles === undefined && without === undefined && !strip) return base;

    const added = new Map<string, CorpusRow>();
    if (extra !== undefined) for await (const row of readCorpus(extra, files)) added.set(row.id, row);
    const texts = files && extraFiles !== undefined ? await readFileTexts(extraFiles) : new Map<string, FileText[]>();
    const omitted = without === undefined ? new Set<string>() : await readIds(without);
    signal?.throwIfAborted();

    const shared = base === this.#options.database ? sharedOf(this.#options) : {};
    await using source = await openSkillSearch({ database: base, ...shared, keywordIndex: false, signal });
    if (semantic && source.stats().skills > 0 && source.stats().vectors === 0) {
      // An address may have a password.
      const shown = isPostgresAddress(base) ? 'the catalogue' : base;
      const message = `${shown} has no vectors: load its sources again with vectors (the load says so if it cannot make any), or evaluate by words only`;
      throw new SkillSearchError('NO_VECTORS', message, { path: shown });
    }
    const present = new Set(source.ids());
    this.#remarkUnknown(
      [...omitted].filter((id) => !present.has(id)),
      'to leave out',
    );
    const withoutDocument = [...texts.keys()].filter((id) => !added.has(id) && (!present.has(id) || omitted.has(id)));
    this.#remarkUnknown(withoutDocument, 'with file text');

    const path = await this.#files.temporary('changed.db');
    await copyCatalogue({ from: base, ...shared, to: path });
    const removed = [...omitted].filter((id) => present.has(id));
    if (removed.length > 0) await removeSkills({ database: path, ids: removed });
    const rows = changedRows(source, { added, texts, strip, omitted });
    await this.#build(path, { name: 'changed documents', rows }, false);
    return path;
  }

  clear(): Promise<void> {
    return this.#files.clear();
  }

  async #build(
    database: string,
    source: string | { readonly name: string; readonly rows: AsyncIterable<unknown> | Iterable<unknown> },
    prune: boolean,
  ): Promise<void> {
    const { semantic = true, model, embedder, onProgress, signal } = this.#options;
    const report = await buildCatalogue({
      database,
      sources: [source],
      prune,
      semantic,
      ...(semantic ? { model, embedder } : {}),
      onProgress,
      signal,
    });
    const { failed, rejected, warnings } = report;
    if (failed[0] !== undefined)
      throw new SkillSearchError('INVALID_SOURCE', failed[0].reason, { path: failed[0].origin });
    const remarks = [
      ...rejected.map(({ line, reason }) => `a document is left out (number ${line ?? '?'}: ${reason})`),
      ...warnings.map(({ line, message }) => `${line === undefined ? '' : `document ${line}: `}${message}`),
    ];
    this.remarks.push(...remarks.slice(0, MAX_REMARKS));
    if (remarks.length > MAX_REMARKS) {
      this.remarks.push(`and ${remarks.length - MAX_REMARKS} more remarks on documents`);
    }
  }

  #remarkUnknown(ids: readonly string[], what: string): void {
    if (ids.length === 0) return;
    const shown = ids.slice(0, MAX_REMARKS).map((id) => JSON.stringify(id));
    const more = ids.length > MAX_REMARKS ? ', …' : '';
    this.remarks.push(`${ids.length} unknown ${ids.length === 1 ? 'id' : 'ids'} ${what}: ${shown.join(', ')}${more}`);
  }
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
