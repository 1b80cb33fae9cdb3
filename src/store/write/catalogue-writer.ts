import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import type { PackedBlob } from '../contents.js';
import { comparedText } from '../copies/stored-signatures.js';
import { storeError } from '../database.js';
import { FOLDER_PLACES, folderOf, locationIn, PlaceWriter, type SkillFolder } from '../places.js';
import type { Connection } from '../sqlite.js';
import { HASH_BYTES, type SkillToStore, toColumns } from '../stored-skill.js';
import { DamagedSkills } from './catalogue-repair.js';
import { LoadLabels, LoadVectors } from './load-sinks.js';
import { endChange, OpenChange } from './open-change.js';
import { type ChangeCounts, type EndOfLoad, endLoad, OpenLoad, revertKilledRun } from './open-load.js';
import { chooseId, FolderIds, type FolderIdWish, Pruning, type SkillSink, type Spared } from './pruning.js';
import type { StoredVersion, WriterStatements } from './writer-statements.js';

/** The hash of no skill. */
const NO_HASH = Buffer.alloc(0);

/**
 * Writes one load into a catalogue. Readers see nothing of it until {@link publish}.
 *
 * As long as everything that comes in is stored already, the writer only reads. The first difference makes the working
 * copy. Skills go there batch by batch, each with a note of what it was before. (The first load of a catalogue needs no
 * notes: every skill is new.) By these notes a load can resume after a kill, and ends with the same catalogue and the
 * same counts as one that ran through. Claims and pruning wait for {@link endLoad}.
 */
export class CatalogueWriter implements SkillSink {
  readonly vectors: LoadVectors;
  /** Labels that are derived. */
  readonly labels: LoadLabels;
  readonly #load: OpenLoad | OpenChange;
  readonly #knownRows: KnownRows;
  readonly #rowNotes = new RowNotes();
  readonly #newClaims = new NewClaims();
  readonly #places: PlaceWriter;
  readonly #folderIds: FolderIds;
  /** What the folders that this load has read became: the hash of the skill by the folder's path. */
  readonly #hashByFolder = new Map<string, Buffer>();
  /** Skills that this load has brought. */
  readonly #brought = new Set<SkillNumber>();
  /** Undefined for the first load of a catalogue. */
  readonly #damaged: DamagedSkills | undefined;
  #hasMended = false;
  readonly #prunings: Pruning[] = [];
  #written = 0;
  readonly #withContents: boolean;

  /**
   * @param path the catalogue
   * @param load names the sources and options of the load: only a load with the same key resumes a killed one. Or a
   *   change in place, which the writer closes
   * @param exists whether there should be a catalogue already
   * @param withContents whether the load stores what skills are made of
   * @param home the folder that paths of skills are stored relative to; left out for that of the catalogue
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  constructor(path: string, load: string | OpenChange, exists: boolean, withContents = true, home?: string) {
    this.#withContents = withContents;
    this.#load = typeof load === 'string' ? new OpenLoad(path, load, exists) : load;
    this.#places = new PlaceWriter(home ?? folderOf(path));
    const taken = {
      placeOf: (id: string) => this.#placeOf(id),
      folderPlaces: () => this.#load.base?.folderPlaces.all(...FOLDER_PLACES) ?? [],
    };
    this.#folderIds = new FolderIds(taken, this.#places);
    const { base } = this.#load;
    this.#damaged = base === undefined ? undefined : new DamagedSkills(base.connection);
    this.vectors = new LoadVectors(this.#load, this.#damaged);
    this.labels = new LoadLabels(this.#load);
    this.#knownRows = new KnownRows((source) => this.#readKnownRows(source));
    try {
      if (this.#load.resumed) this.#noteOverwrittenByKilledRun();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The catalogue's file. */
  get path(): string {
    return this.#load.path;
  }

  /**
   * Removes the damaged ones among the vectors of the skills that the load has brought, so that they are made again.
   *
   * @returns how many were removed
   * @throws the signal's reason when aborted
   */
  async removeDamagedVectors(signal?: AbortSignal): Promise<number> {
    const damaged = await this.#damaged?.vectorsOf(this.#brought, signal).catch((error: unknown) => {
      throw storeError(error, this.path, 'write');
    });
    if (damaged === undefined || damaged.length === 0) return 0;
    this.#load.guard(() => this.#load.write().vectors.remove(damaged));
    this.#hasMended = true;
    return damaged.length;
  }

  chooseId(location: string, slug: string, slugWithHash: string): string {
    const locationOf = (id: string): string | undefined => {
      const place = this.#placeOf(id);
      return place === undefined ? undefined : locationIn(place);
    };
    return this.#load.guard(() => chooseId(locationOf, location, slug, slugWithHash));
  }

  chooseFolderId(wish: FolderIdWish, folder: SkillFolder): string {
    return this.#load.guard(() => this.#folderIds.choose(wish, folder));
  }

  /** Whether a row of the source is stored as it is. The answer holds until the next skill is put. */
  isKnown(fingerprint: string, source: string): boolean {
    const skill = this.#knownRows.skillOf(fingerprint, source);
    return skill !== undefined && this.#load.guard(() => this.#damaged?.has(skill)) !== true;
  }

  putKnown(fingerprint: string, source: string): string | undefined {
    const skill = this.#knownRows.skillOf(fingerprint, source);
    if (skill === undefined) throw new Error('putKnown() was called for a row that is not known');
    if (this.#brought.has(skill)) return this.#load.guard(() => this.#load.statements.idOf.get(skill));
    this.#brought.add(skill);
    return undefined;
  }

  lacksBlob(sha256: string): boolean {
    const digest = Buffer.from(sha256, 'hex');
    return this.#load.guard(() => {
      if (this.#damaged?.hasWholeBlob(digest) === true) return false;
      return !this.#load.hasWorkingCopy || !this.#load.statements.hasBlob(digest);
    });
  }

  put(item: SkillToStore, source: string, fingerprint?: string, blobs?: readonly PackedBlob[]): 'stored' | 'again' {
    return this.#load.guard(() => {
      const { folder } = item;
      const columns = toColumns(item, this.#places.textOf(item.location, folder));
      const stored = this.#load.statements.find.get(columns.id);
      if (folder !== undefined && this.#isBroughtFrom(folder, stored)) {
        this.#newClaims.note(source, stored!.number, this.#load.statements);
        return 'stored';
      }
      let skill = stored?.number;
      const isDamaged = skill !== undefined && (this.#damaged?.has(skill) === true || this.#lostContents(item, skill));
      const isStored = stored?.hash.equals(columns.hash) === true || this.#isBroughtFromClone(item, stored);
      if (skill === undefined || isDamaged || !isStored) {
        const statements = this.#load.write(blobs?.reduce((sum, { bytes }) => sum + bytes.length, 0));
        // Even if it gets the hash that it had, a damaged skill is updated.
        const was = isDamaged ? NO_HASH : (stored?.hash ?? null);
        if (this.#load.base !== undefined) statements.touch.run(columns.id, was);
        skill = statements.save(columns, item, stored?.number, blobs);
        this.#load.signatures?.sign(skill, comparedText(item.skill, item.files));
        if (stored !== undefined) this.#knownRows.noteOverwritten(stored.number);
        if (stored !== undefined && stored.number !== skill) this.#noteRenumbered(stored.number, skill);
        this.#damaged?.noteWritten(skill);
        this.#hasMended ||= isDamaged;
        this.#written += 1;
      }
      if (fingerprint !== undefined) this.#rowNotes.add(source, fingerprint, skill, columns.hash);
      this.#newClaims.note(source, skill, this.#load.statements);
      const again = this.#brought.has(skill);
      this.#brought.add(skill);
      if (folder !== undefined) {
        this.#hashByFolder.set(folder.path, isStored ? stored!.hash : columns.hash);
        this.#folderIds.note(columns.id, folder);
      }
      return again ? 'again' : 'stored';
    });
  }

  /**
   * Removes, when the load ends, what came from these sources earlier and was not in this load. A skill that another
   * source claims stays.
   *
   * @param spared skills to keep although the load did not bring them: they are there, but could not be read
   * @param folders only skills that were read from these folders, or from below them; none: from anywhere
   */
  prune(sources: readonly string[], spared: Spared = {}, folders: readonly string[] = []): void {
    this.#prunings.push(new Pruning(sources, spared, this.#places, folders));
  }

  /** Skills that this load has written. */
  get written(): number {
    return this.#written;
  }

  /** Claims that pruning would delete. */
  get lapsed(): number {
    return this.#load.guard(() => {
      const { statements } = this.#load;
      return this.#prunings.reduce((sum, pruning) => sum + pruning.count(statements, this.#brought), 0);
    });
  }

  /** Commits what is pending: a kill from here on loses none of it. */
  flush(): void {
    this.#load.flush();
  }

  /**
   * Publishes the load if it changed anything, and closes the writer.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
   */
  finish(): ChangeCounts {
    const counts = this.publish();
    this.reported();
    this.close();
    return counts;
  }

  /**
   * Publishes the load if it changed anything. No other load can start until {@link close}, so that files can be
   * derived from the catalogue.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
   */
  publish(): ChangeCounts {
    const end: EndOfLoad = {
      hasWork: () => this.#hasWork(),
      write: (statements) => this.#writeEnd(statements),
      hasMended: this.#hasMended || this.labels.hasMended,
      model: this.vectors.model,
      brought: this.#brought,
    };
    return this.#load instanceof OpenChange ? endChange(this.#load, end) : endLoad(this.#load, end);
  }

  /** Notes that the caller has the counts. Until then they are kept for the next load of the same sources. */
  reported(): void {
    this.#load.reported();
  }

  /** Closes the files. What was written stays in the working copy, for a later load to resume. */
  close(): void {
    this.#load.close();
  }

  /** The place of a skill. What a killed run wrote counts only once this run has brought it, too. */
  #placeOf(id: string): string | undefined {
    const { statements, base, resumed } = this.#load;
    if (!resumed) return statements.placeOf.get(id);
    const stored = statements.find.get(id);
    const brought = stored !== undefined && this.#brought.has(stored.number);
    return brought ? statements.placeOf.get(id) : base?.placeOf.get(id);
  }

  /** Whether a skill should have contents and has none: its hash covers them, but not that they are there. */
  #lostContents({ contents }: SkillToStore, skill: SkillNumber): boolean {
    return contents !== undefined && !this.#load.statements.hasContents(skill);
  }

  /** Whether this load has read the folder before, by way of another source, and the skill is still what it became. */
  #isBroughtFrom({ path }: SkillFolder, stored: StoredVersion | undefined): boolean {
    const hash = this.#hashByFolder.get(path);
    return hash !== undefined && stored?.hash.equals(hash) === true && this.#brought.has(stored.number);
  }

  /**
   * Whether this load has brought the same content from another folder of the same origin, such as a second clone of
   * one repository. The first folder stays: else each load of both would write the skill again.
   */
  #isBroughtFromClone(item: SkillToStore, stored: StoredVersion | undefined): boolean {
    if (stored === undefined || item.folder === undefined || item.folder.isOrigin) return false;
    if (!this.#brought.has(stored.number)) return false;
    const place = this.#load.statements.placeOf.get(item.skill.id);
    if (place === undefined || locationIn(place) !== item.location) return false;
    return toColumns(item, place).hash.equals(stored.hash);
  }

  #readKnownRows(source: string): ReadonlyMap<string, SkillNumber> {
    const { base } = this.#load;
    if (base === undefined) return new Map();
    return this.#load.guard(() => readKnownRows(base.connection, source, this.#withContents));
  }

  #noteRenumbered(from: SkillNumber, to: SkillNumber): void {
    if (this.#brought.delete(from)) this.#brought.add(to);
    this.#newClaims.renumber(from, to);
  }

  #noteOverwrittenByKilledRun(): void {
    this.#load.guard(() => {
      for (const { number } of this.#load.statements.touched.iterate()) {
        if (number !== null) this.#knownRows.noteOverwritten(number);
      }
    });
  }

  #hasWork(): boolean {
    const { statements } = this.#load;
    return (
      this.labels.hasWork ||
      !this.#newClaims.isEmpty ||
      this.#prunings.some((pruning) => pruning.count(statements, this.#brought) > 0)
    );
  }

  #writeEnd(statements: WriterStatements): boolean {
    if (this.#load.resumed) revertKilledRun(statements, this.#load.base !== undefined, this.#brought);
    const claimsAdded = this.#newClaims.write(statements);
    let claimsDeleted = false;
    for (const pruning of this.#prunings) claimsDeleted = pruning.write(statements, this.#brought) || claimsDeleted;
    const claimsChanged = claimsAdded || claimsDeleted;
    this.#rowNotes.write(statements.connection);
    if (this.#load instanceof OpenChange) {
      // To look at all rows would take long. Those of skills that are gone have no claim, so they count for nothing.
      return claimsChanged;
    }
    if (claimsChanged) forgetUnclaimedRows(statements.connection);
    return this.labels.writeEnd(statements) || claimsChanged;
  }
}

/** Skills that a load found in a source that did not claim them before. Claims are written when the load ends. */
class NewClaims {
  readonly #skillsOf = new Map<string, SkillNumber[]>();

  /** Notes that a skill was found in a source. */
  note(source: string, skill: SkillNumber, stored: WriterStatements): void {
    if (stored.hasClaim.get(source, skill) !== undefined) return;
    const skills = this.#skillsOf.get(source);
    if (skills === undefined) this.#skillsOf.set(source, [skill]);
    else skills.push(skill);
  }

  /** Notes that a skill has another number: it was written again. */
  renumber(from: SkillNumber, to: SkillNumber): void {
    for (const skills of this.#skillsOf.values()) {
      const at = skills.indexOf(from);
      if (at >= 0) skills[at] = to;
    }
  }

  get isEmpty(): boolean {
    return this.#skillsOf.size === 0;
  }

  /** @returns whether a claim was added */
  write(statements: WriterStatements): boolean {
    let changed = false;
    for (const [source, skills] of this.#skillsOf) {
      statements.insertSource.run(source);
      for (const skill of skills) changed = statements.insertClaim.run(skill, source).changes > 0 || changed;
    }
    return changed;
  }
}

/**
 * Rows whose skill is stored exactly as the row says, by fingerprint: a load need not read them.
 *
 * Only the catalogue counts, not what a killed run left in the working copy: an id may depend on what came before.
 */
export class KnownRows {
  readonly #read: (source: string) => ReadonlyMap<string, SkillNumber>;
  /** Skills of the catalogue that this load, or a killed run of it, wrote over: their rows are no longer known. */
  readonly #overwritten = new Set<SkillNumber>();
  /** The rows of one source: the latest that was asked for. */
  #loaded: { readonly source: string; readonly skills: ReadonlyMap<string, SkillNumber> } | undefined;

  /** @param read reads the known rows of a source from the catalogue; see {@link readKnownRows} */
  constructor(read: (source: string) => ReadonlyMap<string, SkillNumber>) {
    this.#read = read;
  }

  /** The skill of a row; undefined if the row has to be read. */
  skillOf(fingerprint: string, source: string): SkillNumber | undefined {
    if (this.#loaded?.source !== source) this.#loaded = { source, skills: this.#read(source) };
    const skill = this.#loaded.skills.get(fingerprint);
    return skill === undefined || this.#overwritten.has(skill) ? undefined : skill;
  }

  noteOverwritten(skill: SkillNumber): void {
    this.#overwritten.add(skill);
  }
}

/**
 * Reads what the rows of a source became when they were last read. Leaves out skills that have changed since, and
 * skills that the source no longer claims.
 *
 * @param withContents false leaves out skills with contents: they are stored with what the load is not to store
 * @returns skills by the fingerprint of their row
 */
function readKnownRows(catalogue: Connection, source: string, withContents: boolean): Map<string, SkillNumber> {
  const known = new Map<string, SkillNumber>();
  const others = withContents ? '' : `AND length(skill.hash) <= ${HASH_BYTES}`;
  const rows = catalogue
    .prepare<[string], [skill: SkillNumber, fingerprint: Buffer]>(`
      SELECT skill.number, known_row.fingerprint
      FROM known_row JOIN claim USING (source, skill) JOIN skill ON skill.number = known_row.skill
      WHERE known_row.source = (SELECT number FROM source WHERE name = ?) AND known_row.hash = skill.hash ${others}`)
    .raw();
  for (const [skill, fingerprint] of rows.iterate(source)) known.set(fingerprint.toString('latin1'), skill);
  return known;
}

/** Characters of a row's fingerprint. */
const FINGERPRINT_BYTES = 16;
/** Where the hash of the skill stands in an entry, behind its length. */
const HASH_AT = 8 + FINGERPRINT_BYTES + 1;
/** An entry: number of the skill, fingerprint of the row, hash of the skill, perhaps with its mark of contents. */
const ENTRY_BYTES = HASH_AT + HASH_BYTES + 1;
const ENTRIES_A_BLOCK = 16_384;

/**
 * What the rows of a load became, for the `KnownRows` of the next load. Written when the load ends.
 *
 * A note says that a row with this fingerprint makes a skill with this hash. That stays true whatever the load does
 * later.
 */
class RowNotes {
  readonly #bySource = new Map<string, NotesOfSource>();

  add(source: string, fingerprint: string, skill: SkillNumber, hash: Buffer): void {
    let notes = this.#bySource.get(source);
    if (notes === undefined) {
      notes = new NotesOfSource();
      this.#bySource.set(source, notes);
    }
    notes.add(fingerprint, skill, hash);
  }

  /** Writes the notes of every source that the catalogue has. */
  write(catalogue: Connection): void {
    const sourceNumber = catalogue.prepare<[string], number>('SELECT number FROM source WHERE name = ?').pluck();
    for (const [source, notes] of this.#bySource) {
      const number = sourceNumber.get(source);
      if (number !== undefined) notes.write(catalogue, number);
    }
  }
}

/** In flat blocks of bytes, since a load may bring millions of rows. */
class NotesOfSource {
  readonly #blocks: Buffer[] = [];
  #size = 0;

  add(fingerprint: string, skill: SkillNumber, hash: Buffer): void {
    const at = (this.#size % ENTRIES_A_BLOCK) * ENTRY_BYTES;
    if (at === 0) this.#blocks.push(Buffer.allocUnsafe(ENTRIES_A_BLOCK * ENTRY_BYTES));
    const block = this.#blocks.at(-1)!;
    block.writeDoubleLE(skill, at);
    block.write(fingerprint, at + 8, FINGERPRINT_BYTES, 'latin1');
    block[at + HASH_AT - 1] = hash.length;
    hash.copy(block, at + HASH_AT);
    this.#size += 1;
  }

  /** Writes all entries. If there are several for one skill, the last one stays. */
  write(catalogue: Connection, source: number): void {
    const insert = catalogue.prepare(
      'INSERT OR REPLACE INTO known_row (source, skill, fingerprint, hash) VALUES (?, ?, ?, ?)',
    );
    for (let entry = 0; entry < this.#size; entry++) {
      const block = this.#blocks[Math.floor(entry / ENTRIES_A_BLOCK)]!;
      const at = (entry % ENTRIES_A_BLOCK) * ENTRY_BYTES;
      const fingerprint = block.subarray(at + 8, at + 8 + FINGERPRINT_BYTES);
      const hash = block.subarray(at + HASH_AT, at + HASH_AT + block[at + HASH_AT - 1]!);
      insert.run(source, block.readDoubleLE(at), fingerprint, hash);
    }
  }
}

/** Deletes the notes of rows whose source no longer claims the skill. */
export function forgetUnclaimedRows(catalogue: Connection): void {
  catalogue.exec(`
    DELETE FROM known_row WHERE NOT EXISTS (
      SELECT 1 FROM claim WHERE claim.source = known_row.source AND claim.skill = known_row.skill)`);
}
