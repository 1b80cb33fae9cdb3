/** Something that is wrong with a catalogue or with a file that is derived from it. */
export interface CatalogueProblem {
  /**
   * What is at fault: the database as a whole, a skill, the vectors, one of the derived files, or the checkpoint that
   * PostgreSQL has for new copies.
   */
  readonly part: 'database' | 'skill' | 'vectors' | 'keyword file' | 'vector files' | 'checkpoint';
  /** Path of the file, or the address of the database, without password. */
  readonly path: string;
  /** Id of the skill as it is stored; only for skills. */
  readonly skill?: string;
  /** What is wrong, in a sentence without a full stop. */
  readonly problem: string;
  /** What helps, in a sentence without a full stop. */
  readonly remedy: string;
}

/** What a check of a catalogue found. */
export interface CheckReport {
  /** Number of skills that were checked. */
  readonly skills: number;
  /** Number of vectors that were checked. */
  readonly vectors: number;
  /** What is wrong; after a repair what is still wrong. */
  readonly problems: readonly CatalogueProblem[];
  /**
   * Derived files that are whole but belong to another state of the catalogue, as after a load by another version, or
   * that a running load has not made yet. Nothing is wrong: a search does without them, and the next load or a repair
   * makes them. Also that a local copy could not be compared with PostgreSQL, because what is there is another state.
   */
  readonly outdated: readonly CatalogueProblem[];
  /** What a repair has mended or made. */
  readonly repaired: readonly CatalogueProblem[];
}
