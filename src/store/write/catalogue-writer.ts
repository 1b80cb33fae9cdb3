import { existsSync } from 'node:fs';
import type { Connection } from '../../sqlite/connection.js';
import { openForReading, storeError } from '../database.js';
import { readMeta, writeMeta } from '../meta.js';
import { areAllSigned, comparedText, SignatureWriter } from '../signature-table.js';
import { type SkillToStore, toColumns } from '../stored-skill.js';
import type { EmbeddedText, EmbeddingSink, TextToEmbed } from './embedding-sink.js';
import { forgetUnclaimedRows, RowNotes, readKnownRows } from './known-rows.js';
import { chooseId, type SkillSink } from './skill-sink.js';
import { WorkingCopy } from './working-copy.js';
import { restoreFromBase, WriterStatements } from './writer-statements.js';

/** What a load changed, in skills. */
export interface ChangeCounts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** Which skills of which sources are to go when the load ends. */
interface Pruning {
  readonly sources: readonly string[];
  readonly sparedIds: ReadonlySet<string>;
  readonly sparedPlaces: ReadonlySet<string>;
}

/** Rows of a transaction: what a kill can lose. The more, the fewer times the pages of the index of ids are written. */
const BATCH = 4000;

const NO_CHANGES = { added: 0, updated: 0, removed: 0 };

/**
 * Writes one load into a catalogue. Until {@link finish} nobody sees anything of it.
 *
 * As long as all that comes in is stored already, it only reads; the first difference makes the working copy. Skills
 * go there batch by batch, with a note of what each was before (but for the first load of all, to which everything is
 * new), so that a load that was killed is gone on with and ends with the same catalogue and the same counts as one that
 * ran through. Everything else, claims and removals, waits for the end and is written in one transaction with the new
 * stamp: a kill leaves nothing of it behind.
 */
export class CatalogueWriter implements SkillSink, EmbeddingSink {
  /** The catalogue. */
  readonly path: string;
  readonly #loadKey: string;
  readonly #copy: WorkingCopy;
  /** The catalogue as it is, read-only; undefined where there is none yet. */
  #base: WriterStatements | undefined;
  #working: Connection | undefined;
  /** Of the working copy, or of the catalogue as long as there is none. */
  #statements: WriterStatements;
  /** Of the working copy. */
  #signatures: SignatureWriter | undefined;
  readonly #resumed: boolean;
  /** Numbers of the skills this load has brought. */
  readonly #seen = new Set<number>();
  /** Skills by source that the source did not have before. */
  readonly #newClaims = new Map<string, number[]>();
  /** What rows became, by source: what {@link isKnown} of the next load goes by. */
  readonly #rowNotes = new Map<string, RowNotes>();
  /** Rows of one source, the latest asked for, that the catalogue as it is has as they stand. */
  #known: { readonly source: string; readonly rows: ReadonlyMap<string, number> } | undefined;
  /** Numbers of skills of the catalogue as it is that were written over: what is known of their rows does not hold. */
  readonly #overwritten = new Set<number>();
  readonly #removals: string[] = [];
  #pruning: Pruning | undefined;
  #pending = 0;
  #model: string | undefined;

  /**
   * @param path the catalogue
   * @param loadKey identifies a load (its sources and options): what a killed one left is gone on with by the same only
   * @param exists whether there is a catalogue already
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  constructor(path: string, loadKey: string, exists: boolean) {
    this.path = path;
    this.#loadKey = loadKey;
    // Opened first: a file that is no catalogue is left alone.
    if (exists) openForReading(path).close();
    this.#copy = WorkingCopy.claim(path);
    try {
      // A load that was killed at its end may have been published by now.
      this.#base = exists || existsSync(path) ? readBase(path) : undefined;
      this.#working = this.#copy.resume(loadKey);
      this.#resumed = this.#working !== undefined;
      if (this.#working !== undefined) this.#noteOverwritten(this.#working);
      this.#statements =
        this.#working !== undefined ? this.#useWorking(this.#working) : (this.#base ?? this.#startWorking());
    } catch (error) {
      this.close();
      throw storeError(error, path, 'write');
    }
  }

  /** What a killed run of this load has written over. */
  #noteOverwritten(working: Connection): void {
    for (const { number } of new WriterStatements(working).touched.iterate()) {
      if (number !== null) this.#overwritten.add(number);
    }
  }

  chooseId(place: string, slug: string, slugWithHash: string): string {
    return this.#guard(() => chooseId((id) => this.#placeOf(id), place, slug, slugWithHash));
  }

  /** What a killed run of this load has left does not count until this run has brought it too. */
  #placeOf(id: string): string | undefined {
    if (!this.#resumed) return this.#statements.placeOf.get(id);
    const stored = this.#statements.find.get(id);
    const brought = stored !== undefined && this.#seen.has(stored.number);
    return brought ? this.#statements.placeOf.get(id) : this.#base?.placeOf.get(id);
  }

  /** Whether a row of the source is stored as it stands; holds until the next skill is put. */
  isKnown(fingerprint: string, source: string): boolean {
    return this.#numberOf(fingerprint, source) !== undefined;
  }

  /** Of the catalogue as it is only, not of what a killed run of this load has left: ids may depend on what came before. */
  #numberOf(fingerprint: string, source: string): number | undefined {
    if (this.#known?.source !== source) {
      const rows = this.#guard(() =>
        this.#base === undefined ? new Map() : readKnownRows(this.#base.connection, source),
      );
      this.#known = { source, rows };
    }
    const number = this.#known.rows.get(fingerprint);
    return number === undefined || this.#overwritten.has(number) ? undefined : number;
  }

  putKnown(fingerprint: string, source: string): string | undefined {
    const number = this.#numberOf(fingerprint, source);
    if (number === undefined) throw new Error('a row was put as known that is not');
    if (!this.#seen.has(number)) {
      this.#seen.add(number);
      return undefined;
    }
    return this.#guard(() => this.#statements.idOf.get(number));
  }

  put(item: SkillToStore, source: string, fingerprint?: string): 'stored' | 'again' {
    return this.#guard(() => {
      const columns = toColumns(item);
      const stored = this.#statements.find.get(columns.id);
      let number = stored?.number;
      if (number === undefined || stored?.hash.equals(columns.hash) !== true) {
        const statements = this.#write();
        if (this.#base !== undefined) statements.touch.run(columns.id, stored?.hash ?? null);
        number = statements.save(columns, item.files, stored?.number);
        this.#signatures?.sign(number, comparedText(item));
        if (stored !== undefined) this.#overwritten.add(number);
      }
      if (fingerprint !== undefined) this.#notesOf(source).add(fingerprint, number, columns.hash);
      return this.#bring(number, source);
    });
  }

  #notesOf(source: string): RowNotes {
    const present = this.#rowNotes.get(source);
    if (present !== undefined) return present;
    const notes = new RowNotes();
    this.#rowNotes.set(source, notes);
    return notes;
  }

  #bring(number: number, source: string): 'stored' | 'again' {
    if (this.#statements.hasClaim.get(source, number) === undefined) {
      const claims = this.#newClaims.get(source);
      if (claims === undefined) this.#newClaims.set(source, [number]);
      else claims.push(number);
    }
    const again = this.#seen.has(number);
    this.#seen.add(number);
    return again ? 'again' : 'stored';
  }

  /**
   * Takes away, when the load ends, what came from these sources earlier and was not in this load; a skill that another
   * source has stays.
   *
   * @param sparedIds skills to keep although they were not brought: rows that are there but could not be read
   * @param sparedPlaces the same, by the place of the skill
   */
  prune(
    sources: readonly string[],
    sparedIds: ReadonlySet<string>,
    sparedPlaces: ReadonlySet<string> = new Set(),
  ): void {
    this.#pruning = { sources, sparedIds, sparedPlaces };
  }

  /**
   * Removes a skill when the load ends.
   *
   * @returns whether there is such a skill
   */
  remove(id: string): boolean {
    this.#removals.push(id);
    return this.#guard(() => this.#placeOf(id) !== undefined);
  }

  /** Id of the model whose vectors the catalogue has as it is; undefined where it has none. */
  get model(): string | undefined {
    return this.#guard(() => this.#base?.vectors.models()[0]);
  }

  /** Vectors of any other model go when the load ends. */
  useModel(model: string): number[] {
    this.#model = model;
    return this.#guard(() => {
      const missing = this.#statements.vectors.missing(model);
      if (missing.length === 0 || this.#working !== undefined) return missing;
      // A working copy takes over what a killed load has embedded.
      return this.#startWorking().vectors.missing(model);
    });
  }

  get dimensions(): number | undefined {
    return this.#guard(() => this.#statements.vectors.dimensions(this.#model as string));
  }

  textToEmbed(number: number): TextToEmbed {
    return this.#guard(() => this.#statements.vectors.text(number));
  }

  putVectors(vectors: Iterable<EmbeddedText>): void {
    this.#guard(() => {
      const statements = this.#write();
      for (const { textHash, vector } of vectors) statements.vectors.put(this.#model as string, textHash, vector);
      this.flush();
    });
  }

  /** Writes what is pending, so that a kill from here on loses nothing of it. */
  flush(): void {
    if (this.#working?.inTransaction === true) this.#working.exec('COMMIT');
    this.#pending = 0;
  }

  /**
   * Publishes the load, if it changed anything, and lets go of the files.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
   */
  finish(): ChangeCounts {
    const counts = this.publish();
    this.close();
    return counts;
  }

  /**
   * Publishes the load, if it changed anything. The right to load is held until {@link close}, for what is derived from
   * the catalogue.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
   */
  publish(): ChangeCounts {
    return this.#guard(() => {
      const changes = this.#hasWork() ? this.#finishWorkingCopy() : NO_CHANGES;
      this.#copy.forgetLeftOver();
      this.#closeFiles();
      const { added, updated, removed } = changes;
      return { added, updated, unchanged: this.#seen.size - added - updated, removed };
    });
  }

  #hasWork(): boolean {
    if (this.#working !== undefined || this.#newClaims.size > 0) return true;
    if (this.#removals.some((id) => this.#statements.find.get(id) !== undefined)) return true;
    if (this.#prunable().length > 0) return true;
    return !areAllSigned(this.#statements.connection);
  }

  #finishWorkingCopy(): typeof NO_CHANGES {
    if (this.#working === undefined) this.#startWorking();
    this.flush();
    const working = this.#working as Connection;
    const statements = this.#statements;
    // No database can be attached inside a transaction.
    if (this.#base !== undefined) working.prepare('ATTACH ? AS base').run(this.path);
    working.exec('BEGIN');
    if (this.#resumed) this.#revertUnseen();
    let claimsChanged = false;
    for (const [source, numbers] of this.#newClaims) {
      statements.insertSource.run(source);
      for (const number of numbers)
        claimsChanged = statements.insertClaim.run(number, source).changes > 0 || claimsChanged;
    }
    for (const { source, number, id } of this.#prunable()) {
      claimsChanged = statements.deleteClaim.run(source, number).changes > 0 || claimsChanged;
      if (statements.anyClaim.get(number) === undefined) this.#delete(id);
    }
    for (const id of this.#removals) this.#delete(id);
    for (const [source, notes] of this.#rowNotes) notes.write(working, source);
    if (claimsChanged) forgetUnclaimedRows(working);
    this.#settleModel(working);
    const signed = this.#base !== undefined && areAllSigned(this.#base.connection);
    if (!areAllSigned(working)) this.#signatures?.signAll();
    const vectorsChanged =
      this.#base !== undefined && statements.vectors.state('main') !== statements.vectors.state('base');

    const changes = this.#base === undefined ? statements.countAllAsAdded() : statements.countChanges();
    const first = readMeta(working, 'stamp') === undefined;
    if (first || !signed || claimsChanged || vectorsChanged || changes.added + changes.updated + changes.removed > 0) {
      this.#copy.publish(working, () => this.#base?.close());
    } else {
      working.exec('ROLLBACK');
      working.close();
      this.#copy.discard();
    }
    return changes;
  }

  /** One model's vectors stay: those made now, if there are any, else those there were, also by a run that was killed. */
  #settleModel(working: Connection): void {
    const { vectors } = this.#statements;
    const made = vectors.models();
    const chosen = [this.#model, readMeta(working, 'model'), made[0]].find(
      (id) => id !== undefined && made.includes(id),
    );
    if (chosen !== undefined) writeMeta(working, 'model', chosen);
    vectors.keepOnly(chosen);
  }

  #prunable(): { source: string; number: number; id: string }[] {
    if (this.#pruning === undefined) return [];
    const { sources, sparedIds, sparedPlaces } = this.#pruning;
    return [...new Set(sources)].flatMap((source) =>
      this.#statements.claimedBy
        .all(source)
        .filter(({ number, id, place }) => !this.#seen.has(number) && !sparedIds.has(id) && !sparedPlaces.has(place))
        .map(({ number, id }) => ({ source, number, id })),
    );
  }

  #delete(id: string): void {
    const stored = this.#statements.find.get(id);
    if (stored === undefined) return;
    this.#statements.touch.run(id, stored.hash);
    this.#statements.deleteWithAll(stored.number);
  }

  /**
   * Undoes what a killed run did to skills that this run has not brought: its sources may have changed in between.
   */
  #revertUnseen(): void {
    if (this.#base === undefined) {
      for (const number of this.#statements.numbers.all()) {
        if (!this.#seen.has(number)) this.#statements.deleteWithAll(number);
      }
      return;
    }
    const restore = restoreFromBase(this.#working as Connection);
    for (const { id, number, was } of this.#statements.touched.all()) {
      if (number !== null && this.#seen.has(number)) continue;
      if (number !== null) this.#statements.deleteWithAll(number);
      if (was !== null) restore(id);
      this.#statements.untouch.run(id);
    }
  }

  /** Lets go of the files. What was written stays in the working copy, for the next load to go on with. */
  close(): void {
    this.#closeFiles();
    this.#copy.release();
  }

  #closeFiles(): void {
    if (this.#working?.open === true) {
      if (this.#working.inTransaction) this.#working.exec('COMMIT');
      this.#working.close();
    }
    this.#base?.close();
  }

  #startWorking(): WriterStatements {
    this.#statements = this.#useWorking(this.#copy.create(this.#loadKey));
    return this.#statements;
  }

  #useWorking(working: Connection): WriterStatements {
    this.#working = working;
    this.#signatures = new SignatureWriter(working);
    return new WriterStatements(working);
  }

  /** What to write with: in the working copy, inside a transaction that ends after {@link BATCH} calls. */
  #write(): WriterStatements {
    if (this.#pending >= BATCH) this.flush();
    const statements = this.#working === undefined ? this.#startWorking() : this.#statements;
    const working = this.#working as unknown as Connection;
    if (!working.inTransaction) working.exec('BEGIN');
    this.#pending += 1;
    return statements;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // Half of a skill must not be committed: a later load would take it for the whole.
      if (this.#working?.open === true && this.#working.inTransaction) this.#working.exec('ROLLBACK');
      throw storeError(error, this.path, 'write');
    }
  }
}

function readBase(path: string): WriterStatements {
  const connection = openForReading(path);
  // Ids are looked up all over their index, which the cache of a searcher cannot hold.
  connection.pragma('cache_size = -65536');
  return new WriterStatements(connection);
}
