import { checkIds, type DocumentNumber } from '../core/index.js';
import { documentsOf } from '../indexing/index.js';
import { GONE, type MemoryIndex } from '../keyword/index.js';
import type { RowProblems } from '../result.js';
import type { CatalogueReader } from '../store/index.js';
import { MemoryCatalogue } from '../store/writing.js';
import { OpenedSearch } from './catalogue-search.js';
import { type OpenedReader, openState, resolveOpenOptions } from './open-catalogue.js';
import { CurrentState, type OpenState } from './open-state.js';
import type { MemorySearch, OpenOptions, ReadRows } from './skill-search.js';

/** Opens skills that are held in memory: SQLite has what is stored of them, MiniSearch their words. */
export async function openInMemory(options: OpenOptions, readRows: ReadRows): Promise<MemorySearch> {
  const how = resolveOpenOptions(options);
  const { MemoryIndex: Index } = await import('../keyword/memory-index.js');
  const store = await readRows(options.skills, how.signal);
  const memory = new MemoryCatalogue();
  let index: MemoryIndex;
  let opened: OpenedReader;
  try {
    const problems = await store(memory);
    opened = { reader: memory.read(), memory, problems };
  } catch (error) {
    memory.close();
    throw error;
  }
  const state = await openState(opened, how, async (signal) => {
    index = await Index.build(documentsOf(opened.reader), signal);
    return { index: index.current, keywordFile: undefined };
  });
  return new OpenedMemory(new CurrentState(state), { opened, memory, index: index!, readRows });
}

interface MemoryParts {
  readonly opened: OpenedReader;
  readonly memory: MemoryCatalogue;
  readonly index: MemoryIndex;
  readonly readRows: ReadRows;
}

/** Adds changes to a search. */
class OpenedMemory extends OpenedSearch implements MemorySearch {
  readonly #states: CurrentState<OpenState>;
  readonly #parts: MemoryParts;
  /** The change before, which the next waits for: changes happen in the order of their calls. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(states: CurrentState<OpenState>, parts: MemoryParts) {
    super(states);
    this.#states = states;
    this.#parts = parts;
  }

  async add(rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<RowProblems> {
    const { closing } = this.#states.newest;
    const read = this.#parts.readRows(rows, closing);
    // Told when its turn has come.
    read.catch(() => {});
    return this.#inOrder(async () => this.#change(await read));
  }

  async remove(ids: Iterable<string>): Promise<number> {
    const all = checkIds(ids);
    return this.#inOrder(() => this.#change(async (memory) => all.filter((id) => memory.remove(id)).length));
  }

  #inOrder<Result>(change: () => Promise<Result>): Promise<Result> {
    const done = this.#before.then(change);
    this.#before = done.catch(() => {});
    return done;
  }

  /** Writes a change, and goes over to the revision that it makes. */
  #change<Result>(write: (memory: MemoryCatalogue) => Promise<Result>): Promise<Result> {
    const { opened, memory, index } = this.#parts;
    return this.#states.alone(async (state) => {
      const result = await state.untilClosed(write(memory));
      const former = state.reader;
      opened.reader = memory.read();
      index.change(documentsOf(opened.reader), changeOf(former, opened.reader, memory.takeChanged()));
      await state.useRevision(opened.reader, index.current, memory);
      return result;
    });
  }
}

/** What becomes of the documents of a revision in the next one, in which some skills are new or changed. */
function changeOf(
  former: CatalogueReader,
  next: CatalogueReader,
  changed: Iterable<string>,
): { readonly numbers: Uint32Array; readonly came: Uint32Array } {
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
