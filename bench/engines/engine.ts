import type { RankedDocument } from '../../src/evaluation/index.js';

/** What an engine indexes of a skill: the texts as they are. */
export interface EngineDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** A search engine that is asked in its own way, with its own fields, terms and scores. */
export interface DocumentedEngine {
  /**
   * The best documents, best first.
   *
   * @param q has a letter or digit
   * @param limit how many at most, 1 or more
   */
  search(q: string, limit: number): RankedDocument[] | Promise<RankedDocument[]>;
  close?(): Promise<void>;
}
