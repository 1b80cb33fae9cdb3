import type { DocumentNumber } from '../core/index.js';
import { checkInteger, checkOptions, giveWay, inTurns, namesOf, optionOf, topOf } from '../core/index.js';
import type { DamagedSkill, SimilarSkill } from '../result.js';
import type { CatalogueColumns } from '../store/index.js';
import { allCopiesOf, collapseCopies, copyPreference, prepareCopies } from '../store/index.js';
import { readShown } from './damaged-skills.js';
import type { NearestDocuments } from './nearest-documents.js';
import type { OpenState } from './open-state.js';
import { comparatorOf } from './ranking/ranks.js';
import type { SimilarOptions } from './skill-search.js';

/** The greatest `limit` of similar skills: as for a semantic search. */
const MAX_SIMILAR = 100;

const DEFAULT_SIMILAR = 10;

/** Vectors that are looked at, at least: the index is approximate, and their exact cosines decide. */
const CANDIDATES = 100;

const SIMILAR_OPTIONS = namesOf<SimilarOptions>({ limit: true });

/** The skills nearest to a skill; see `SkillSearch.similar`. */
export async function findSimilar(state: OpenState, id: string, options: SimilarOptions = {}): Promise<SimilarSkill[]> {
  checkOptions(options, SIMILAR_OPTIONS);
  const limit = checkInteger(optionOf('limit'), options.limit, 1, MAX_SIMILAR) ?? DEFAULT_SIMILAR;
  const nearest = await state.nearest();
  const { reader } = state;
  const { columns } = reader;
  const document = reader.documentOf(id);
  const vector = document === undefined ? undefined : nearest.read([document]).mean(new Map([[document, 1]]));
  if (document === undefined || vector === undefined) return [];

  await giveWay();
  await inTurns(prepareCopies(columns.copyGroup));
  const found = await state.untilClosed(copiesAround(nearest, document, vector, limit, columns));
  await giveWay();
  const cosines = nearest.read(found).cosines([vector]);
  const scoreOf = (other: DocumentNumber): number => Math.min(1, Math.max(-1, cosines.get(other)![0]!));
  const { documents, counts } = collapseCopies([...cosines.keys()], columns.copyGroup, copyPreference(columns));
  const shown = topOf(documents, comparatorOf('relevance', columns, scoreOf), 0, limit);
  // The list has no place for damaged skills. `check` and searches name them.
  const damaged: DamagedSkill[] = [];
  return state.reader.reading(() =>
    readShown(
      shown,
      (other) => ({ skill: reader.skill(other), score: scoreOf(other), copies: counts.get(other) ?? 1 }),
      damaged,
    ),
  );
}

/** The documents near a vector, of as many groups of copies as asked for, and all their copies; none of its own. */
async function copiesAround(
  nearest: NearestDocuments,
  document: DocumentNumber,
  vector: Float32Array,
  limit: number,
  { copyGroup }: CatalogueColumns,
): Promise<DocumentNumber[]> {
  const own = copyGroup[document]!;
  for (let count = Math.max(CANDIDATES, 2 * limit); ; count *= 4) {
    const places = await nearest.nearest(vector, count);
    const firstOfGroup = new Map<number, DocumentNumber>();
    for (const place of places) {
      for (const other of nearest.documentsAt(place)) {
        const group = copyGroup[other]!;
        if (group !== own && !firstOfGroup.has(group)) firstOfGroup.set(group, other);
      }
    }
    if (firstOfGroup.size >= limit || places.length < count) return allCopiesOf([...firstOfGroup.values()], copyGroup);
  }
}
