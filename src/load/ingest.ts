import { copyKey } from '../copies/copy-key.js';
import { embeddedText, hashText } from '../semantic/embedded-text.js';
import { checkRow } from '../sources/rows/check-row.js';
import type { KnownRow, Origin, RawRow, RowFolder, SourceItem, UnreadableRow } from '../sources/rows/row.js';
import { deriveId, idWithHash } from '../sources/rows/skill-id.js';
import type { SparedPlace } from '../store/write/pruning.js';
import type { SkillSink } from '../store/write/skill-sink.js';
import type { LoadWarning, RejectedRow } from './load-report.js';

/** Puts the rows of a load into the store, and notes what became of them. */
export class Ingest {
  readonly warnings: LoadWarning[] = [];
  readonly rejected: RejectedRow[] = [];
  /** Ids and places of rows that are there but did not become a skill. What is stored of them is not pruned. */
  readonly sparedIds: Set<string> = new Set();
  readonly sparedPlaces: SparedPlace[] = [];
  /** Sources that could not be read in part. */
  readonly incomplete: Set<string> = new Set();
  /** Rows so far, good or not. */
  rows: number = 0;
  /** Rows that became a skill. */
  skills: number = 0;
  /** Time spent in the store. */
  storingMs: number = 0;
  readonly #sink: SkillSink;

  constructor(sink: SkillSink) {
    this.#sink = sink;
  }

  /**
   * Checks an item of a source, and stores the skill that it becomes.
   *
   * @param source the name that skills of this source are stored under
   */
  take(item: SourceItem, source: string): void {
    if (item.kind === 'remark') {
      if (item.hidesSkills === true) this.incomplete.add(item.origin.source);
      this.#warn(item.origin, item.message);
      return;
    }
    this.rows += 1;
    if (item.kind === 'row') this.#takeRow(item, source);
    else if (item.kind === 'known') this.#takeKnown(item, source);
    else this.#takeUnreadable(item);
  }

  #takeUnreadable({ location, folder, hidesSkills, origin, reason }: UnreadableRow): void {
    if (location !== undefined) this.sparedPlaces.push({ location, folder });
    if (hidesSkills === true) this.incomplete.add(origin.source);
    this.#reject(origin, reason);
  }

  #takeKnown({ fingerprint, origin }: KnownRow, source: string): void {
    const started = performance.now();
    const id = this.#sink.putKnown?.(fingerprint, source);
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (id !== undefined) this.#warnAgain(origin, id);
  }

  #takeRow(row: RawRow, source: string): void {
    const checked = checkRow(row);
    if (checked.kind === 'rejected') {
      if (checked.id !== undefined) this.sparedIds.add(checked.id);
      if (row.location !== undefined) this.sparedPlaces.push({ location: row.location, folder: row.folder });
      this.#reject(row.origin, checked.reason);
      return;
    }
    for (const warning of checked.warnings) this.#warn(row.origin, warning);
    const { id: given, location, exactLocation, properties, files, ...fields } = checked.draft;
    const started = performance.now();
    const { id, collides } =
      given === undefined
        ? this.#deriveId(location, exactLocation, row.folder, source)
        : { id: given, collides: false };
    const { name, description } = fields;
    const skill = { id, ...fields };
    const result = this.#sink.put(
      {
        skill,
        properties,
        files,
        copyKey: copyKey(name, description),
        textHash: hashText(embeddedText(name, description)),
        location: exactLocation,
        folder: row.folder,
      },
      source,
      // A row with warnings, or with an id that depends on other skills, must be read at every load.
      checked.warnings.length === 0 && !collides ? row.fingerprint : undefined,
    );
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (result === 'again') this.#warnAgain(row.origin, id);
  }

  #deriveId(
    location: string,
    exactLocation: string,
    folder: RowFolder | undefined,
    source: string,
  ): { id: string; collides: boolean } {
    const { slug, lossy, hash } = deriveId(location, exactLocation);
    const withHash = idWithHash(slug, hash);
    if (folder?.isOrigin === true && this.#sink.chooseFolderId !== undefined) {
      const plain = lossy || slug === '' ? withHash : slug;
      const wish = { location, plain, former: withHash, withHash: (other: string) => idWithHash(slug, other) };
      const id = this.#sink.chooseFolderId(wish, folder, source);
      return { id, collides: id !== plain };
    }
    if (lossy || slug === '') return { id: withHash, collides: false };
    const id = this.#sink.chooseId(exactLocation, slug, withHash);
    return { id, collides: id !== slug };
  }

  #warnAgain(origin: Origin, id: string): void {
    this.#warn(origin, `the id ${id} came before in this load: this later row is kept`);
  }

  #warn(origin: Origin, message: string): void {
    this.warnings.push({ ...forReport(origin), message });
  }

  #reject(origin: Origin, reason: string): void {
    this.rejected.push({ ...forReport(origin), reason });
  }
}

function forReport({ source, line }: Origin): { origin: string; line?: number } {
  return line === undefined ? { origin: source } : { origin: source, line };
}
