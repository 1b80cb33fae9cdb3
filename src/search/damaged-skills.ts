import type { DocumentNumber } from '../core/index.js';
import { isDamage, type SkillSearchError } from '../core/index.js';
import type { DamagedSkill } from '../result.js';
import type { CatalogueReader } from '../store/index.js';

/** How many damaged skills an answer lists at most. */
const MOST_LISTED = 100;

/** Collects what an answer shows. What is damaged is left out, and listed. */
export class Shown<T> {
  readonly #shown: T[] = [];
  readonly #damaged: DamagedSkill[];
  #failure: unknown;

  /** @param damaged gets what is left out */
  constructor(damaged: DamagedSkill[]) {
    this.#damaged = damaged;
  }

  add(read: () => T): void {
    try {
      this.#shown.push(read());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#failure ??= error;
      this.#damaged.push(notShown(error));
    }
  }

  /** @throws {SkillSearchError} `DATABASE_DAMAGED` if nothing can be shown although something was found */
  all(): T[] {
    // A failed search is never an empty result.
    if (this.#shown.length === 0 && this.#failure !== undefined) throw this.#failure;
    return this.#shown;
  }
}

/**
 * Reads what an answer shows of some documents; see {@link Shown}.
 *
 * @param read reads something of a document
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if nothing can be shown although something was found
 */
export function readShown<T>(
  documents: readonly DocumentNumber[],
  read: (document: DocumentNumber) => T,
  damaged: DamagedSkill[],
): T[] {
  const shown = new Shown<T>(damaged);
  for (const document of documents) shown.add(() => read(document));
  return shown.all();
}

/** The part of an answer that says what it may lack: what could not be shown, and skills that could not be indexed. */
export function damagedPart(
  reader: CatalogueReader,
  notShown: readonly DamagedSkill[],
): { readonly damaged?: readonly DamagedSkill[] } {
  if (notShown.length === 0 && reader.damaged.size === 0) return {};
  const ids = new Set(notShown.map(({ id }) => id));
  const notIndexed = [...reader.damaged]
    .slice(0, MOST_LISTED)
    .map((document) =>
      toDamagedSkill(reader.idOrUndefined(document), 'what is stored of it is damaged, so it may not be found'),
    )
    .filter(({ id }) => id === undefined || !ids.has(id));
  return { damaged: [...notShown, ...notIndexed] };
}

/** @param error of reading a skill */
function notShown({ skill }: SkillSearchError): DamagedSkill {
  return toDamagedSkill(skill, 'what is stored of it is damaged, so it is not shown');
}

export function toDamagedSkill(id: string | undefined, reason: string): DamagedSkill {
  return id === undefined ? { reason } : { id, reason };
}
