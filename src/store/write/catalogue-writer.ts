import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import type { SkillFolder } from '../../skill.js';
import { signatureFor } from '../copies/text-signature.js';
import { storeError } from '../database.js';
import type { PackedBlob } from '../packing.js';
import { folderOf, locationIn, PlaceWriter } from '../places.js';
import type { Connection } from '../sqlite.js';
import { type SkillToStore, toColumns } from '../stored-skill.js';
import { DamagedSkills } from './catalogue-repair.js';
import { LoadLabels, LoadVectors } from './load-sinks.js';
import { type ChangeCounts, type EndOfLoad, endLoad, type OpenLoad } from './open-load.js';
import { chooseId, FolderIds, type FolderIdWish, Pruning, type SkillSink, type Spared } from './pruning.js';
import type { StoredVersion, WriterStatements } from './writer-statements.js';

/** The hash of no skill. */
const NO_HASH = Buffer.alloc(0);

/**
 * Writes one load into a catalogue. Readers see nothing of it until {@link publish}.
 *
 * As long as everything that comes in is stored already, the writer only reads. The first difference makes the staging
 * file. Skills go there batch by batch, each with a note of what it was before. (The first load of a catalogue needs no
 * notes: every skill is new.) Pruning waits for {@link endLoad}.
 */
export class CatalogueWriter implements SkillSink {
  readonly vectors: LoadVectors;
  /** Labels that are derived. */
  readonly labels: LoadLabels;
  readonly #load: OpenLoad;
  /** The known rows of the source that was asked for last: skills by fingerprint. */
  #known: { readonly source: string; readonly skills: ReadonlyMap<string, SkillNumber> } | undefined;
  /** Skills of the catalogue that this load wrote over: their rows are no longer known. */
  readonly #overwritten = new Set<SkillNumber>();
  /** What rows became, until there is something to write it to: of itself it is no reason to write. */
  readonly #rowNotes: RowNote[] = [];
  #hasNewClaims = false;
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
  #removals: readonly string[] = [];
  written = 0;
  readonly #withContents: boolean;

  /**
   * @param load which the writer closes
   * @param withContents whether the load stores what skills are made of
   * @param home the folder that paths of skills are stored relative to; left out for that of the catalogue
   */
  constructor(load: OpenLoad, withContents = true, home?: string) {
    this.#withContents = withContents;
    this.#load = load;
    this.#places = new PlaceWriter(home ?? folderOf(load.path));
    this.#folderIds = new FolderIds(load, this.#places);
    const { base } = this.#load;
    this.#damaged = base === undefined ? undefined : new DamagedSkills(base.connection);
    this.vectors = new LoadVectors(this.#load, this.#damaged);
    this.labels = new LoadLabels(this.#load);
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
      const place = this.#load.statements.placeOf.get(id);
      return place === undefined ? undefined : locationIn(place);
    };
    return this.#load.guard(() => chooseId(locationOf, location, slug, slugWithHash));
  }

  chooseFolderId(wish: FolderIdWish, folder: SkillFolder): string {
    return this.#load.guard(() => this.#folderIds.choose(wish, folder));
  }

  /** Whether a row of the source is stored as it is. The answer holds until the next skill is put. */
  isKnown(fingerprint: string, source: string): boolean {
    const skill = this.#skillOfRow(fingerprint, source);
    return skill !== undefined && this.#load.guard(() => this.#damaged?.has(skill)) !== true;
  }

  putKnown(fingerprint: string, source: string): string | undefined {
    const skill = this.#skillOfRow(fingerprint, source);
    if (skill === undefined) throw new Error('putKnown() was called for a row that is not known');
    if (this.#brought.has(skill)) return this.#load.guard(() => this.#load.statements.idOf.get(skill));
    this.#brought.add(skill);
    return undefined;
  }

  lacksBlob(sha256: string): boolean {
    return this.#load.guard(() => {
      if (this.#damaged?.hasWholeBlob(sha256) === true) return false;
      return !this.#load.hasWorkingCopy || !this.#load.statements.hasBlob(sha256);
    });
  }

  put(item: SkillToStore, source: string, fingerprint?: string, blobs?: readonly PackedBlob[]): 'stored' | 'again' {
    return this.#load.guard(() => {
      const { folder } = item;
      const columns = toColumns(item, this.#places.textOf(item.location, folder));
      const stored = this.#load.statements.find.get(columns.id);
      if (folder !== undefined && this.#isBroughtFrom(folder, stored)) {
        this.#claim({ source, skill: stored!.number });
        return 'stored';
      }
      let skill = stored?.number;
      const isDamaged = skill !== undefined && this.#damaged?.has(skill) === true;
      const isStored = stored?.hash.equals(columns.hash) === true || this.#isBroughtFromClone(item, stored);
      if (skill === undefined || isDamaged || !isStored) {
        const statements = this.#load.write(blobs?.reduce((sum, { bytes }) => sum + bytes.length, 0));
        // Even if it gets the hash that it had, a damaged skill is updated.
        const was = isDamaged ? NO_HASH : (stored?.hash ?? null);
        if (this.#load.base !== undefined) statements.touch(columns.id, was);
        const signature = signatureFor(item.skill, item.files);
        skill = statements.save(columns, { ...item, signature, blobs }, stored?.number);
        if (stored !== undefined) this.#overwritten.add(stored.number);
        if (stored !== undefined && stored.number !== skill && this.#brought.delete(stored.number)) {
          this.#brought.add(skill);
        }
        this.#damaged?.noteWritten(skill);
        this.#hasMended ||= isDamaged;
        this.written += 1;
      }
      this.#claim({ source, skill, fingerprint, hash: columns.hash });
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

  /** Removes skills by their ids when the load ends. An id that no skill has is passed over. */
  remove(ids: readonly string[]): void {
    this.#removals = ids;
  }

  /** Claims that pruning would delete. */
  get lapsed(): number {
    return this.#load.guard(() => {
      const { statements } = this.#load;
      return this.#prunings.reduce((sum, pruning) => sum + pruning.lapsedClaims(statements, this.#brought).length, 0);
    });
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
      hasMended: this.#hasMended,
      model: this.vectors.model,
      brought: this.#brought,
    };
    return endLoad(this.#load, end);
  }

  /** Closes the files. Vectors that were written stay in the staging file, for the next load. */
  close(): void {
    this.#load.close();
  }

  /** Notes that a skill was found in a source, and which row of it became the skill. */
  #claim(note: RowNote): void {
    const isClaimed = this.#load.statements.hasClaim.get(note.source, note.skill) !== undefined;
    if (isClaimed && note.fingerprint === undefined) return;
    this.#rowNotes.push(note);
    if (isClaimed && !this.#load.hasWorkingCopy) return;
    this.#writeRowNotes(this.#load.write());
    this.#hasNewClaims ||= !isClaimed;
  }

  #writeRowNotes(statements: WriterStatements): void {
    for (const { source, skill, fingerprint, hash } of this.#rowNotes.splice(0)) {
      statements.insertSource.run(source);
      if (fingerprint === undefined) statements.claim.run(skill, source, null, null);
      else statements.claim.run(skill, source, Buffer.from(fingerprint, 'latin1'), hash!);
    }
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

  /** The skill of a row that is stored exactly as the row says: a load need not read it. Else undefined. */
  #skillOfRow(fingerprint: string, source: string): SkillNumber | undefined {
    if (this.#known?.source !== source) {
      const { base } = this.#load;
      const read = (): Map<string, SkillNumber> => readKnownRows(base!.connection, source, this.#withContents);
      // Only what was stored before counts: an id may depend on what came before.
      this.#known = { source, skills: base === undefined ? new Map() : this.#load.guard(read) };
    }
    const skill = this.#known.skills.get(fingerprint);
    return skill === undefined || this.#overwritten.has(skill) ? undefined : skill;
  }

  #hasWork(): boolean {
    const { statements } = this.#load;
    return (
      this.labels.hasWork ||
      this.#removals.some((id) => statements.find.get(id) !== undefined) ||
      this.#prunings.some((pruning) => pruning.lapsedClaims(statements, this.#brought).length > 0)
    );
  }

  #writeEnd(statements: WriterStatements): boolean {
    for (const id of this.#removals) statements.remove(id);
    this.#writeRowNotes(statements);
    let claimsDeleted = false;
    for (const pruning of this.#prunings) claimsDeleted = pruning.write(statements, this.#brought) || claimsDeleted;
    const labelsChanged = this.labels.writeEnd(statements);
    return labelsChanged || claimsDeleted || this.#hasNewClaims;
  }
}

/** What a row of a source became: a row with this fingerprint makes a skill with this hash. */
interface RowNote {
  readonly source: string;
  readonly skill: SkillNumber;
  readonly fingerprint?: string | undefined;
  readonly hash?: Buffer;
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
  const others = withContents ? '' : 'AND skill.contents IS NULL';
  const rows = catalogue
    .prepare<[string], [skill: SkillNumber, fingerprint: Buffer]>(`
      SELECT skill.number, fingerprint FROM claim JOIN skill ON skill.number = claim.skill
      WHERE source = (SELECT number FROM source WHERE name = ?) AND fingerprint IS NOT NULL AND claim.hash = skill.hash
        ${others}`)
    .raw();
  for (const [skill, fingerprint] of rows.iterate(source)) known.set(fingerprint.toString('latin1'), skill);
  return known;
}
