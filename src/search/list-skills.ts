import type { DocumentNumber } from '../core/index.js';
import { type ListQuery, resolveListQuery } from '../query.js';
import type { DamagedSkill, ListHit, ListResult } from '../result.js';
import type { CatalogueColumns } from '../store/index.js';
import { facetPart } from './count-facets.js';
import { damagedPart, readShown } from './damaged-skills.js';
import { listedSkills } from './listed-skills.js';
import type { OpenState } from './open-state.js';

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
