import { collapseCopies } from '../copies/collapse-copies.js';
import { copyPreference } from '../copies/copy-preference.js';
import type { DocumentNumber } from '../numbers.js';
import type { CopyMode, ResolvedListQuery } from '../query.js';
import { filterMask, wholeMask } from '../ranking/filter-mask.js';
import type { CatalogueColumns } from '../store/read/columns.js';
import type { KnownCounts } from './count-facets.js';

/** The skills of a list. */
interface ShownSkills {
  /** One byte a document, 1 if it is shown. */
  readonly mask: Uint8Array;
  /** Number of those. */
  readonly total: number;
  /** How many documents a shown one stands for, itself included; only where that is more than one. */
  readonly counts: ReadonlyMap<DocumentNumber, number>;
}

const NO_COPIES: ReadonlyMap<DocumentNumber, number> = new Map();

/** The skills that pass the filters of a list. */
export class ListedSkills {
  /** What was counted of them so far. */
  readonly known: KnownCounts = new Map();
  readonly #columns: CatalogueColumns;
  readonly #all: ShownSkills;
  #documents: Uint32Array | undefined;
  #collapsed: ShownSkills | undefined;

  constructor(columns: CatalogueColumns, mask: Uint8Array) {
    this.#columns = columns;
    // A label may lead to a skill whose files are damaged. Words do not, and a list without filters has it neither.
    for (const document of columns.damaged) mask[document] = 0;
    let total = 0;
    for (let document = 0; document < mask.length; document++) total += mask[document]!;
    this.#all = { mask, total, counts: NO_COPIES };
  }

  /** Ascending. */
  get documents(): Uint32Array {
    if (this.#documents === undefined) {
      const { mask, total } = this.#all;
      this.#documents = new Uint32Array(total);
      let count = 0;
      for (let document = 0; count < total; document++) if (mask[document] === 1) this.#documents[count++] = document;
    }
    return this.#documents;
  }

  shown(copies: CopyMode): ShownSkills {
    if (copies === 'keep') return this.#all;
    this.#collapsed ??= this.#collapse();
    return this.#collapsed;
  }

  #collapse(): ShownSkills {
    const { size, copyGroup } = this.#columns;
    const { documents, counts } = collapseCopies(this.documents, copyGroup, copyPreference(this.#columns));
    const mask = new Uint8Array(size);
    for (let i = 0; i < documents.length; i++) mask[documents[i]!] = 1;
    return { mask, total: documents.length, counts };
  }
}

/** All skills of each catalogue; made when first listed without filters. */
const wholeLists = new WeakMap<CatalogueColumns, ListedSkills>();

/** The skills that pass the filters of a query. */
export function listedSkills(columns: CatalogueColumns, query: ResolvedListQuery): ListedSkills {
  const mask = filterMask(columns, query);
  if (mask !== undefined) return new ListedSkills(columns, mask);
  const whole = wholeLists.get(columns) ?? new ListedSkills(columns, wholeMask(columns));
  wholeLists.set(columns, whole);
  return whole;
}
