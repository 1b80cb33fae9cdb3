import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
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
  type SkillSearch,
  SkillSearchError,
} from '../index.js';
import { type CorpusRow, type FileText, readCorpus, readFileTexts, readIds } from './corpus-rows.js';

/** Which documents are searched: one of `documents`, `catalogue` and `database`, and what is different from there. */
export interface CorpusOptions extends ModelOptions {
  /** A corpus in the BEIR layout: JSON Lines of `_id`, `title` and `text`, plain or gzip. */
  readonly documents?: string | undefined;
  /** Anything that a catalogue is loaded from: JSON Lines, a folder of `SKILL.md` files. */
  readonly catalogue?: string | undefined;
  /** A catalogue that was loaded before. It is never changed: what is to be different is done to a copy. */
  readonly database?: string | undefined;
  /** More documents, as in `documents`. */
  readonly extra?: string | undefined;
  /** Texts of their files: JSON Lines of `_id` and `text`. */
  readonly extraFiles?: string | undefined;
  /** Ids of documents that are left out, one a line. */
  readonly without?: string | undefined;
  /** Whether the text of files counts. @default true */
  readonly files?: boolean | undefined;
  /**
   * Folder where catalogues made of `documents` or `catalogue` are kept: the next time only what has changed is embedded.
   * Without it they are made in a temporary folder and removed.
   */
  readonly keep?: string | undefined;
  /** As `stopWords` of `openSkillSearch`. */
  readonly stopWords?: OpenOptions['stopWords'];
  /** Whether vectors are needed. @default true */
  readonly semantic?: boolean | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Documents ready to be searched. */
export interface Corpus extends AsyncDisposable {
  readonly search: SkillSearch;
  /** What is not as the files say, for people. */
  readonly remarks: readonly string[];
  /** Closes the search and removes what was temporary. */
  close(): Promise<void>;
}

/**
 * Opens the documents of a benchmark, loading them first where they are not a catalogue yet.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `SOURCE_NOT_FOUND`, `INVALID_SOURCE`, and as `buildCatalogue` and
 *   `openSkillSearch`
 * @throws the signal's reason when aborted
 */
export async function openCorpus(options: CorpusOptions): Promise<Corpus> {
  const { documents, catalogue, database, semantic = true, model, embedder, stopWords, signal } = options;
  if ([documents, catalogue, database].filter((one) => one !== undefined).length !== 1) {
    throw new SkillSearchError('INVALID_OPTION', 'exactly one of documents, catalogue and database must be given');
  }
  const making = new CorpusMaking(options);
  try {
    const base = database ?? (await making.load());
    const path = await making.change(base);
    const opening = { database: path, model, embedder, stopWords, warmUp: semantic, signal };
    const search = await openSkillSearch(opening);
    const close = async (): Promise<void> => {
      await search.close();
      await making.clear();
    };
    return { search, remarks: making.remarks, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await making.clear();
    throw error;
  }
}

/** The steps from files to a catalogue that can be opened. */
class CorpusMaking {
  readonly remarks: string[] = [];
  readonly #options: CorpusOptions;
  #temporary: string | undefined;

  constructor(options: CorpusOptions) {
    this.#options = options;
  }

  /** Loads the documents or the catalogue; returns the path of what comes out. */
  async load(): Promise<string> {
    const { documents, catalogue, files = true, keep } = this.#options;
    const source =
      documents === undefined ? (catalogue as string) : { name: 'documents', rows: readCorpus(documents, files) };
    const path = keep === undefined ? await this.#temporaryFile('corpus.db') : await this.#keptFile(keep);
    await this.#build(path, source, true);
    return path;
  }

  /** Leaves out and adds what is to be different; returns the path of what comes out. */
  async change(base: string): Promise<string> {
    const { extra, extraFiles, without, files = true, semantic = true, signal } = this.#options;
    // The rows of documents are made without files at once.
    const strip = !files && this.#options.documents === undefined;
    if (extra === undefined && extraFiles === undefined && without === undefined && !strip) return base;

    const added = new Map<string, CorpusRow>();
    if (extra !== undefined) for await (const row of readCorpus(extra, files)) added.set(row.id, row);
    const texts = files && extraFiles !== undefined ? await readFileTexts(extraFiles) : new Map<string, FileText[]>();
    const left = without === undefined ? new Set<string>() : await readIds(without);
    signal?.throwIfAborted();

    await using source = await openSkillSearch({ database: base, keywordIndex: false });
    if (semantic && source.stats().skills > 0 && source.stats().vectors === 0) {
      const message = `${base} has no vectors: load its sources again without --no-semantic, or evaluate by words only`;
      throw new SkillSearchError('NO_VECTORS', message, { path: base });
    }
    const present = new Set(source.ids());
    this.#remark(
      [...left].filter((id) => !present.has(id)),
      'to leave out',
    );
    const unknown = [...texts.keys()].filter((id) => !added.has(id) && (!present.has(id) || left.has(id)));
    this.#remark(unknown, 'with file text');

    const path = await this.#temporaryFile('changed.db');
    await copyCatalogue({ from: base, to: path });
    const removed = [...left].filter((id) => present.has(id));
    if (removed.length > 0) removeSkills({ database: path, ids: removed });
    const rows = changedRows(source, { added, texts, strip, left });
    await this.#build(path, { name: 'changed documents', rows }, false);
    return path;
  }

  async clear(): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
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
    const told = [
      ...rejected.map(({ line, reason }) => `a document is left out (number ${line ?? '?'}: ${reason})`),
      ...warnings.map(({ line, message }) => `${line === undefined ? '' : `document ${line}: `}${message}`),
    ];
    this.remarks.push(...told.slice(0, MAX_REMARKS));
    if (told.length > MAX_REMARKS) this.remarks.push(`and ${told.length - MAX_REMARKS} more remarks on documents`);
  }

  #remark(ids: readonly string[], what: string): void {
    if (ids.length === 0) return;
    const shown = ids.slice(0, MAX_REMARKS).map((id) => JSON.stringify(id));
    const noun = ids.length === 1 ? 'id' : 'ids';
    this.remarks.push(
      `${ids.length} unknown ${noun} ${what}: ${shown.join(', ')}${ids.length > MAX_REMARKS ? ', …' : ''}`,
    );
  }

  async #temporaryFile(name: string): Promise<string> {
    this.#temporary ??= await mkdtemp(join(tmpdir(), 'skill-discovery-evaluate-'));
    return join(this.#temporary, name);
  }

  /** Named after what it is made of, and the model: so no two corpora share a file, and none meets vectors of another model. */
  async #keptFile(folder: string): Promise<string> {
    const { documents, catalogue, files = true, semantic = true, model, embedder } = this.#options;
    const source = resolve((documents ?? catalogue) as string);
    const by = semantic ? (embedder?.model ?? (await inspectModel(model ?? BUNDLED_MODEL)).id) : '';
    const made = JSON.stringify([source, files || documents === undefined, by]);
    const hash = createHash('sha256').update(made).digest('hex').slice(0, 12);
    const name = (documents === undefined ? basename(source) : basename(resolve(source, '..'))).replace(
      /[^\w.-]+/g,
      '-',
    );
    if (!existsSync(folder)) await mkdir(folder, { recursive: true });
    return join(folder, `${name}-${hash}.db`);
  }
}

const MAX_REMARKS = 5;

interface Changes {
  readonly added: ReadonlyMap<string, CorpusRow>;
  readonly texts: ReadonlyMap<string, readonly FileText[]>;
  /** Whether the text of files is taken away. */
  readonly strip: boolean;
  readonly left: ReadonlySet<string>;
}

/** The rows that are new, or different from those of a catalogue. */
function* changedRows(source: SkillSearch, { added, texts, strip, left }: Changes): Generator<unknown> {
  for (const id of strip ? source.ids() : texts.keys()) {
    const skill = added.has(id) || left.has(id) ? undefined : source.get(id);
    if (skill !== undefined) yield { ...skill, files: texts.get(id) ?? [] };
  }
  for (const row of added.values()) {
    const files = texts.get(row.id);
    yield files === undefined ? row : { ...row, files };
  }
}
