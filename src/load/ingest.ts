import { MAX_LISTED_PROBLEMS, MAX_SPARED } from '../core/index.js';
import { embeddedText, hashText } from '../semantic/index.js';
import type { KnownRow, Origin, RawRow, RowFolder, SourceItem, SourceRemark, UnreadableRow } from '../sources/index.js';
import { checkRow, deriveId, idWithHash } from '../sources/index.js';
import type { PackedBlob, SkillSink, SparedPlace } from '../store/index.js';
import { copyKey, withoutMark } from '../store/index.js';
import type { LoadWarning, RejectedRow } from './load-report.js';
import { packContents } from './pack-contents.js';

/** Incomplete sources that are remembered. */
const MAX_INCOMPLETE = 1000;

/** Puts the rows of a load into the store, and notes what became of them. */
export class Ingest {
  /** The first ones; {@link unlisted} counts the others. */
  readonly warnings: LoadWarning[] = [];
  readonly rejected: RejectedRow[] = [];
  /** Problems that are not listed. */
  readonly unlisted: { warnings: number; rejected: number } = { warnings: 0, rejected: 0 };
  /** Rows that are there but did not become a skill, and folders that hide skills. What is stored is not pruned. */
  readonly spared: { readonly ids: Set<string>; readonly places: SparedPlace[]; readonly folders: Set<string> } = {
    ids: new Set(),
    places: [],
    folders: new Set(),
  };
  /** Why a source, or a part of it, keeps a load from pruning: the first reason of each. */
  readonly incomplete: Map<string, LoadWarning> = new Map();
  /** The keys of their sources. */
  readonly incompleteKeys: Set<string> = new Set();
  /** Rows so far, good or not. */
  rows: number = 0;
  /** Rows that became a skill. */
  skills: number = 0;
  /** Time spent in the store. */
  storingMs: number = 0;
  readonly #sink: SkillSink;
  readonly #maxListed: number;
  readonly #withContents: boolean;

  /**
   * @param maxListed warnings, and rejected rows, that are listed. 0 means no limit
   * @param withContents whether what skills are made of is stored
   */
  constructor(sink: SkillSink, maxListed: number = MAX_LISTED_PROBLEMS, withContents = true) {
    this.#sink = sink;
    this.#withContents = withContents;
    this.#maxListed = maxListed === 0 ? Number.POSITIVE_INFINITY : maxListed;
  }

  /**
   * Checks an item of a source, and stores the skill that it becomes.
   *
   * @param source the name that skills of this source are stored under
   * @returns what must be awaited before the next item; undefined if nothing
   */
  take(item: SourceItem, source: string): Promise<void> | undefined {
    if (item.kind === 'remark') {
      if (item.hidesSkills === true) this.#noteHidden(item, source);
      this.#warn(item.origin, item.message);
      return undefined;
    }
    this.rows += 1;
    if (item.kind === 'row') return this.#takeRow(item, source);
    if (item.kind === 'known') this.#takeKnown(item, source);
    else this.#takeUnreadable(item, source);
    return undefined;
  }

  #takeUnreadable({ location, folder, hidesSkills, origin, reason }: UnreadableRow, source: string): void {
    if (location !== undefined && this.#canSpare(origin, source)) this.spared.places.push({ location, folder });
    if (hidesSkills === true) this.#noteIncomplete(origin, source, reason);
    this.#reject(origin, reason);
  }

  #takeKnown({ fingerprint, origin }: KnownRow, source: string): void {
    const started = performance.now();
    const id = this.#sink.putKnown?.(fingerprint, source);
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (id !== undefined) this.#warnAgain(origin, id);
  }

  #takeRow(row: RawRow, source: string): Promise<void> | undefined {
    const checked = checkRow(row);
    if (checked.kind === 'rejected') {
      const { location, folder, origin } = row;
      if (checked.id !== undefined && this.#canSpare(origin, source)) this.spared.ids.add(checked.id);
      if (location !== undefined && this.#canSpare(origin, source)) this.spared.places.push({ location, folder });
      // Nobody can tell which skill it was.
      if (checked.id === undefined && location === undefined) this.#noteIncomplete(origin, source, checked.reason);
      this.#reject(row.origin, checked.reason);
      return undefined;
    }
    for (const warning of checked.warnings) this.#warn(row.origin, warning);
    const { id: given, location, exactLocation: exact, properties, files, contents, ...fields } = checked.draft;
    const exactLocation = withoutMark(exact);
    const started = performance.now();
    const { id, collides } =
      given === undefined ? this.#deriveId(location, exactLocation, row.folder) : { id: given, collides: false };
    const { name, description } = fields;
    const skill = { id, ...fields };
    const isLeftOut = contents !== undefined && !this.#withContents;
    const item = {
      skill,
      properties,
      files,
      copyKey: copyKey(name, description),
      textHash: hashText(embeddedText(name, description)),
      location: exactLocation,
      folder: row.folder,
      contents: isLeftOut ? undefined : contents,
    };
    // A row with warnings, or with an id that depends on other skills, must be read at every load. So must one that is
    // not stored as it says.
    const isFact = checked.warnings.length === 0 && !collides && !isLeftOut;
    const put = (blobs?: readonly PackedBlob[]): void => {
      const result = this.#sink.put(item, source, isFact ? row.fingerprint : undefined, blobs);
      this.skills += 1;
      if (result === 'again') this.#warnAgain(row.origin, id);
    };
    const packing = packContents(item.contents, (sha256) => this.#sink.lacksBlob(sha256));
    if (packing === undefined) put();
    this.storingMs += performance.now() - started;
    return packing?.then((blobs) => this.#storing(() => put(blobs)));
  }

  #storing(work: () => void): void {
    const started = performance.now();
    work();
    this.storingMs += performance.now() - started;
  }

  #deriveId(location: string, exactLocation: string, folder: RowFolder | undefined): { id: string; collides: boolean } {
    const { slug, lossy, hash } = deriveId(location, exactLocation);
    const withHash = idWithHash(slug, hash);
    if (folder?.isOrigin === true && this.#sink.chooseFolderId !== undefined) {
      const plain = lossy || slug === '' ? withHash : slug;
      const wish = { plain, withHash: (other: string) => idWithHash(slug, other) };
      const id = this.#sink.chooseFolderId(wish, folder);
      return { id, collides: id !== plain };
    }
    if (lossy || slug === '') return { id: withHash, collides: false };
    const id = this.#sink.chooseId(exactLocation, slug, withHash);
    return { id, collides: id !== slug };
  }

  #warnAgain(origin: Origin, id: string): void {
    this.#warn(origin, `the id ${id} came before in this load: this later row is kept`);
  }

  /** Whether there is room for one more that must not be pruned. If not, nothing of the source may be pruned. */
  #canSpare(origin: Origin, source: string): boolean {
    const { ids, places, folders } = this.spared;
    if (ids.size + places.length + folders.size < MAX_SPARED) return true;
    this.#noteIncomplete(origin, source, `there are more than ${MAX_SPARED} of them`);
    return false;
  }

  #noteHidden({ origin, message, hidingFolders }: SourceRemark, source: string): void {
    if (hidingFolders === undefined) this.#noteIncomplete(origin, source, message);
    for (const folder of hidingFolders ?? []) if (this.#canSpare(origin, source)) this.spared.folders.add(folder);
  }

  #noteIncomplete(origin: Origin, key: string, reason: string): void {
    this.incompleteKeys.add(key);
    // One is enough to keep a load from pruning. The others are for the report.
    if (this.incomplete.size >= MAX_INCOMPLETE || this.incomplete.has(origin.source)) return;
    const message = `nobody can tell which stored skill this is or hides (${reason}): mend or remove it, and load again`;
    this.incomplete.set(origin.source, { ...forReport(origin), message });
  }

  #warn(origin: Origin, message: string): void {
    if (this.warnings.length < this.#maxListed) this.warnings.push({ ...forReport(origin), message });
    else this.unlisted.warnings += 1;
  }

  #reject(origin: Origin, reason: string): void {
    if (this.rejected.length < this.#maxListed) this.rejected.push({ ...forReport(origin), reason });
    else this.unlisted.rejected += 1;
  }

  /** Ends the report with a warning if it does not list everything. */
  warnOfUnlisted(): void {
    const { warnings, rejected } = this.unlisted;
    if (warnings + rejected === 0) return;
    const counts = `${warnings.toLocaleString('en')} more warnings and ${rejected.toLocaleString('en')} more rejected rows`;
    const message = `${counts} are not listed: see to those that are, or raise maxListedProblems`;
    this.warnings.push({ origin: 'report', message });
  }
}

function forReport({ source, line }: Origin): { origin: string; line?: number } {
  return line === undefined ? { origin: source } : { origin: source, line };
}
