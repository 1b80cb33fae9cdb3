import { checkIds, type DocumentNumber } from '../core/index.js';
import { documentsOf } from '../indexing/index.js';
import { type DocumentChange, GONE, type MemoryIndex } from '../keyword/index.js';
import type { RowProblems } from '../result.js';
import type { CatalogueReader } from '../store/index.js';
import { MemoryCatalogue } from '../store/writing.js';
import { OpenedSearch } from './catalogue-search.js';
import { resolveOpenOptions } from './open-catalogue.js';
import { CurrentState, type OpenedWords, OpenState } from './open-state.js';
import type { MemorySearch, OpenOptions, ReadRows } from './skill-search.js';

/** Opens skills that are held in memory: SQLite has what is stored of them, MiniSearch their words. */
export async function openInMemory(options: OpenOptions, readRows: ReadRows): Promise<MemorySearch> {
  const how = resolveOpenOptions(options);
  const { signal } = options;
  const { MemoryIndex: Index } = await import('../keyword/memory-index.js');
  const store = await readRows(options.skills, signal);
  const memory = new MemoryCatalogue();
  let problems: RowProblems;
  let reader: CatalogueReader;
  try {
    problems = await store(memory);
    reader = memory.read();
  } catch (error) {
    memory.close();
    throw error;
  }
  let index: MemoryIndex;
  const openWords = async (stop: AbortSignal): Promise<OpenedWords> => {
    index = await Index.build(documentsOf(reader), stop);
    return { index: index.current };
  };
  const state = await OpenState.open({ reader, memory, problems }, how, openWords, signal);
  return new OpenedMemory(new CurrentState(state), memory, index!, readRows);
}

/** Adds changes to a search. */
class OpenedMemory extends OpenedSearch implements MemorySearch {
  readonly #states: CurrentState;
  readonly #memory: MemoryCatalogue;
  readonly #index: MemoryIndex;
  readonly #readRows: ReadRows;
  /** The change before, which the next waits for: changes happen in the order of their calls. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(states: CurrentState, memory: MemoryCatalogue, index: MemoryIndex, readRows: ReadRows) {
    super(states);
    this.#states = states;
    this.#memory = memory;
    this.#index = index;
    this.#readRows = readRows;
  }

  async add(rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<RowProblems> {
    const read = this.#readRows(rows, this.#states.newest.closing);
    // Reported when its turn has come.
    read.catch(() => {});
    return this.#change(read);
  }

  async remove(ids: Iterable<string>): Promise<number> {
    const all = checkIds(ids);
    return this.#change(async (memory: MemoryCatalogue) => all.filter((id) => memory.remove(id)).length);
  }

  /** Writes a change, and goes over to the revision that it makes. */
  #change<Result>(prepared: Write<Result> | Promise<Write<Result>>): Promise<Result> {
    const done = this.#before.then(async () => {
      const write = await prepared;
      return this.#states.alone((state) => this.#apply(state, write));
    });
    this.#before = done.catch(() => {});
    return done;
  }

  async #apply<Result>(state: OpenState, write: Write<Result>): Promise<Result> {
    const memory = this.#memory;
    const result = await state.untilClosed(write(memory));
    const former = state.reader;
    const reader = memory.read();
    this.#index.change(documentsOf(reader), changeOf(former, reader, memory.takeChanged()));
    await state.useRevision(reader, this.#index.current);
    return result;
  }
}

type Write<Result> = (memory: MemoryCatalogue) => Promise<Result>;

/** What becomes of the documents of a revision in the next one, in which some skills are new or changed. */
function changeOf(former: CatalogueReader, next: CatalogueReader, changed: Iterable<string>): DocumentChange {
  const cameSet = new Set<DocumentNumber>();
  for (const id of changed) {
    const document = next.documentOf(id);
    if (document !== undefined) cameSet.add(document);
  }
  const numberOf = new Map(Array.from(next.columns.skillNumbers, (skill, document) => [skill, document]));
  const numbers = Uint32Array.from(former.columns.skillNumbers, (skill) => {
    const document = numberOf.get(skill);
    return document === undefined || cameSet.has(document) ? GONE : document;
  });
  return { numbers, came: Uint32Array.from(cameSet).sort() };
}
