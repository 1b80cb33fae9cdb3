import type { DocumentNumber } from '../core/index.js';
import { type CopyMode, type ListQuery, type ResolvedListQuery, resolveListQuery } from '../query.js';
import type { DamagedSkill, ListHit, ListResult } from '../result.js';
import { type CatalogueColumns, collapseCopies, copyPreference } from '../store/index.js';
import { facetPart, type KnownCounts } from './facets.js';
import { damagedPart, readShown } from './hits.js';
import type { OpenState } from './open-state.js';
import { filterMask, wholeMask } from './ranking/filter-mask.js';

/**
 * Lists skills without a question; see `SkillSearch.list`. Nothing is sorted: documents are numbered by date, and the
 * order by stars is kept.
 */
export function listSkills({ reader }: OpenState, query: ListQuery): ListResult {
  const resolved = resolveListQuery(query);
  const { columns } = reader;
  const { page, limit, sortBy } = resolved;
  const listed = listedSkills(columns, resolved);
  const shown = listed.shown(resolved.copies);
  const total = shown.documents.length;
  const [from, to] = [(page - 1) * limit, Math.min(page * limit, total)];
  const documents =
    sortBy === 'recent' ? [...shown.documents.subarray(from, to)] : inOrder(byStars(columns), shown.mask, from, to);
  const damaged: DamagedSkill[] = [];
  const toHit = (document: DocumentNumber): ListHit => ({
    skill: reader.skill(document),
    copies: shown.counts.get(document) ?? 1,
  });
  return reader.reading(() => ({
    hits: readShown(documents, toHit, damaged),
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
    ...facetPart(reader, () => listed.all.documents, resolved, listed.known),
    ...damagedPart(reader, damaged),
  }));
}

/**
 * The documents from one place of a list to behind another.
 *
 * @param order all documents in the order of the list
 * @param mask those that are on the list
 */
function inOrder(order: Uint32Array, mask: Uint8Array, from: number, to: number): readonly DocumentNumber[] {
  const documents: DocumentNumber[] = [];
  for (let i = 0, place = 0; place < to && i < order.length; i++) {
    const document = order[i]!;
    if (mask[document] === 0) continue;
    if (place >= from) documents.push(document);
    place += 1;
  }
  return documents;
}

/** The documents of each catalogue by stars; made when first needed. */
const starOrders = new WeakMap<Uint32Array, Uint32Array>();

/** All documents by stars, the most first. */
function byStars({ starRank }: CatalogueColumns): Uint32Array {
  let order = starOrders.get(starRank);
  if (order === undefined) {
    order = new Uint32Array(starRank.length);
    for (let document = 0; document < starRank.length; document++) order[starRank[document]!] = document;
    starOrders.set(starRank, order);
  }
  return order;
}

/** The skills of a list. */
interface ShownSkills {
  /** One byte a document, 1 if it is shown. */
  readonly mask: Uint8Array;
  /** Those documents, ascending. */
  readonly documents: Uint32Array;
  /** How many documents a shown one stands for, itself included; only where that is more than one. */
  readonly counts: ReadonlyMap<DocumentNumber, number>;
}

const NO_COPIES: ReadonlyMap<DocumentNumber, number> = new Map();

/** The skills that pass the filters of a list. */
class ListedSkills {
  /** With all copies. */
  readonly all: ShownSkills;
  /** What was counted of them so far. */
  readonly known: KnownCounts = new Map();
  readonly #columns: CatalogueColumns;
  #collapsed: ShownSkills | undefined;

  /** @param mask one byte a document, 1 if it passes the filters; changed */
  constructor(columns: CatalogueColumns, mask: Uint8Array) {
    this.#columns = columns;
    // A label may lead to a skill whose files are damaged. Words do not, and a list without filters has it neither.
    for (const document of columns.damaged) mask[document] = 0;
    this.all = { mask, documents: documentsIn(mask, spaceOf(columns)), counts: NO_COPIES };
  }

  shown(copies: CopyMode): ShownSkills {
    if (copies === 'keep') return this.all;
    this.#collapsed ??= this.#collapse();
    return this.#collapsed;
  }

  #collapse(): ShownSkills {
    const columns = this.#columns;
    const { documents, counts } = collapseCopies(this.all.documents, columns.copyGroup, copyPreference(columns));
    const mask = new Uint8Array(columns.size);
    for (let i = 0; i < documents.length; i++) mask[documents[i]!] = 1;
    return { mask, documents: documentsIn(mask, spaceOf(columns)), counts };
  }
}

/** Working space of each catalogue, with room for all documents. */
const spaces = new WeakMap<CatalogueColumns, Uint32Array>();

function spaceOf(columns: CatalogueColumns): Uint32Array {
  const space = spaces.get(columns) ?? new Uint32Array(columns.size);
  spaces.set(columns, space);
  return space;
}

/** The documents that a mask lets pass, ascending. */
function documentsIn(mask: Uint8Array, space: Uint32Array): Uint32Array {
  let count = 0;
  const add = (from: DocumentNumber, to: DocumentNumber): void => {
    for (let document = from; document < to; document++) if (mask[document] === 1) space[count++] = document;
  };
  // Most filters let few documents pass: four bytes at once are 0.
  const words = new Uint32Array(mask.buffer, mask.byteOffset, mask.length >>> 2);
  for (let i = 0; i < words.length; i++) if (words[i] !== 0) add(4 * i, 4 * i + 4);
  add(4 * words.length, mask.length);
  return space.slice(0, count);
}

/** All skills of each catalogue; made when first listed without filters. */
const wholeLists = new WeakMap<CatalogueColumns, ListedSkills>();

/** The skills that pass the filters of a query. */
function listedSkills(columns: CatalogueColumns, query: ResolvedListQuery): ListedSkills {
  const mask = filterMask(columns, query);
  if (mask !== undefined) return new ListedSkills(columns, mask);
  const whole = wholeLists.get(columns) ?? new ListedSkills(columns, wholeMask(columns));
  wholeLists.set(columns, whole);
  return whole;
}
