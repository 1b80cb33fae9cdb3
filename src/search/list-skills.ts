import type { DocumentNumber } from '../core/index.js';
import { type ListQuery, resolveListQuery } from '../query.js';
import type { DamagedSkill, ListHit, ListResult } from '../result.js';
import { type CatalogueColumns, type Collapsed, collapseCopies, copyPreference } from '../store/index.js';
import { facetPart, type KnownCounts } from './facets.js';
import { damagedPart, readShown } from './hits.js';
import { once, oncePer } from './once.js';
import type { OpenState } from './open-state.js';
import { filterMask, wholeMask } from './ranking/filter-mask.js';
import { partOf } from './ranking/ranks.js';

/**
 * Lists skills without a question; see `SkillSearch.list`. Nothing is sorted: documents are numbered by date, and the
 * order by stars is kept.
 */
export function listSkills({ reader }: OpenState, query: ListQuery): ListResult {
  const resolved = resolveListQuery(query);
  const { columns } = reader;
  const { page, limit, sortBy } = resolved;
  const passing = filterMask(columns, resolved);
  const listed = passing === undefined ? wholeList(columns) : listOf(columns, passing);
  const { mask, documents: all, counts } = resolved.copies === 'keep' ? listed.all : listed.collapsed();
  const total = all.length;
  const [from, to] = [(page - 1) * limit, Math.min(page * limit, total)];
  const documents =
    sortBy === 'recent'
      ? [...all.subarray(from, to)]
      : partOf(byStars(columns), (document) => mask[document] === 1, from, to);
  const damaged: DamagedSkill[] = [];
  const toHit = (document: DocumentNumber): ListHit => ({
    skill: reader.skill(document),
    copies: counts.get(document) ?? 1,
  });
  return reader.reading(() => ({
    hits: readShown(documents, toHit, damaged),
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
    ...facetPart(reader, () => listed.all.documents, resolved, listed.known),
    ...damagedPart(reader, damaged),
  }));
}

/** All documents by stars, the most first. */
const byStars = oncePer(({ starRank }: CatalogueColumns) => {
  const order = new Uint32Array(starRank.length);
  for (let document = 0; document < starRank.length; document++) order[starRank[document]!] = document;
  return order;
});

/** The skills of a list, ascending. */
interface ShownSkills extends Collapsed {
  /** One byte a document, 1 if it is shown. */
  readonly mask: Uint8Array;
}

/** The skills that pass the filters of a list. */
interface ListedSkills {
  /** With all copies. */
  readonly all: ShownSkills;
  readonly collapsed: () => ShownSkills;
  /** What was counted of them so far. */
  readonly known: KnownCounts;
}

/** All skills of each catalogue; made when first listed without filters. */
const wholeList = oncePer((columns: CatalogueColumns) => listOf(columns, wholeMask(columns)));

/** @param mask one byte a document, 1 if it passes the filters; changed */
function listOf(columns: CatalogueColumns, mask: Uint8Array): ListedSkills {
  // A label may lead to a skill whose files are damaged. Words do not, and a list without filters has it neither.
  for (const document of columns.damaged) mask[document] = 0;
  const all = { mask, documents: documentsIn(mask), counts: new Map() };
  const collapsed = once((): ShownSkills => {
    const { documents, counts } = collapseCopies(all.documents, columns.copyGroup, copyPreference(columns));
    const kept = new Uint8Array(columns.size);
    for (let i = 0; i < documents.length; i++) kept[documents[i]!] = 1;
    return { mask: kept, documents: documentsIn(kept), counts };
  });
  return { all, collapsed, known: new Map() };
}

/** The documents that a mask lets pass, ascending. */
function documentsIn(mask: Uint8Array): Uint32Array {
  const documents = new Uint32Array(mask.length);
  let count = 0;
  for (let document = 0; document < mask.length; document++) if (mask[document] === 1) documents[count++] = document;
  return documents.slice(0, count);
}
