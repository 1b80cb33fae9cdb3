import type { DocumentNumber } from '../../core/index.js';
import { SHORT_TEXT, type SignedDocuments } from './are-near.js';
import { DistinctTexts } from './distinct-texts.js';

/**
 * Joins groups of copies that have nearly the same text.
 *
 * In the order of preference, each group that has no leader yet becomes the leader of all groups near it that have
 * none. So the document that is shown is near every document it stands for; a chain of copies of copies could end at
 * a different text. The result depends on the documents alone, not on their order.
 *
 * The work grows with the number of documents, not with its square. The price: among more than a hundred texts of one
 * name that have a band in common and are not near, less preferred copies may be missed.
 *
 * @param groupOf group of each document, named by one of its documents
 * @param preference the first document of a group in this order is shown; must be total
 */
export function joinNearCopies(
  groupOf: Uint32Array,
  preference: (a: DocumentNumber, b: DocumentNumber) => number,
  documents: SignedDocuments,
): Uint32Array {
  const related = relatedGroups(groupOf, documents);
  const competing = Uint32Array.from(groupOf.keys())
    .filter((document) => related[groupOf[document]!] === 1)
    .sort(preference);
  const texts = new DistinctTexts(competing, groupOf, documents);
  const leaderOf = Int32Array.from(groupOf.keys(), (document) => (related[document] === 1 ? NONE : document));
  for (const document of competing) {
    const leader = groupOf[document]!;
    if (leaderOf[leader] !== NONE) continue;
    leaderOf[leader] = leader;
    texts.takeNear(leader, (group) => {
      if (leaderOf[group] === NONE) leaderOf[group] = leader;
    });
  }
  return groupOf.map((group) => leaderOf[group]!);
}

/** Marks a group without a leader. */
const NONE = -1;

/** Marks a name or text of more than one group. */
const SEVERAL = -2;

/** One byte per group: 1 if a document of another group has the name or the text of one of its documents. */
function relatedGroups(groupOf: Uint32Array, { names, texts, words }: SignedDocuments): Uint8Array {
  const related = new Uint8Array(groupOf.length);
  for (const keys of [names, texts]) {
    const groups = new Map<number, DocumentNumber>();
    for (const [document, group] of groupOf.entries()) {
      if (words[document]! < SHORT_TEXT) continue;
      const key = keys[document]!;
      const other = groups.get(key);
      if (other === undefined) groups.set(key, group);
      else if (other !== group) {
        related[group] = 1;
        if (other === SEVERAL) continue;
        related[other] = 1;
        groups.set(key, SEVERAL);
      }
    }
  }
  return related;
}
