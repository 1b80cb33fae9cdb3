import { copyKey } from '../copies/copy-key.js';
import { embeddedText, hashText } from '../semantic/embedded-text.js';
import { normaliseRow } from '../sources/rows/check-row.js';
import type { KnownRow, Origin, RawRow, SourceItem } from '../sources/rows/row.js';
import { deriveId, idWithHash } from '../sources/rows/skill-id.js';
import type { SkillSink } from '../store/write/skill-sink.js';
import type { LoadWarning, RejectedRow } from './load-report.js';

/** What became of the rows of a load. */
export class Ingest {
  readonly warnings: LoadWarning[] = [];
  readonly rejected: RejectedRow[] = [];
  /** Ids and places of rows that are there but could not become a skill: what is stored of them is not pruned. */
  readonly sparedIds: Set<string> = new Set();
  readonly sparedPlaces: Set<string> = new Set();
  /** Sources of which a part was closed to us. */
  readonly incomplete: Set<string> = new Set();
  rows: number = 0;
  skills: number = 0;
  /** Time spent in the store. */
  storingMs: number = 0;
  readonly #sink: SkillSink;

  constructor(sink: SkillSink) {
    this.#sink = sink;
  }

  /**
   * Checks an item of a source and stores what becomes a skill; everything else is noted.
   *
   * @param source the name that skills of this source are stored under
   */
  take(item: SourceItem, source: string): void {
    if (item.kind === 'remark') {
      this.#warn(item.origin, item.message);
      return;
    }
    this.rows += 1;
    if (item.kind === 'row') {
      this.#takeRow(item, source);
      return;
    }
    if (item.kind === 'known') {
      this.#takeKnown(item, source);
      return;
    }
    if (item.place !== undefined) this.sparedPlaces.add(item.place);
    if (item.hidesSkills === true) this.incomplete.add(item.origin.source);
    this.#reject(item.origin, item.reason);
  }

  #takeKnown({ fingerprint, origin }: KnownRow, source: string): void {
    const started = performance.now();
    const id = this.#sink.putKnown?.(fingerprint, source);
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (id !== undefined) this.#warnAgain(origin, id);
  }

  #takeRow(row: RawRow, source: string): void {
    const normalised = normaliseRow(row);
    if (normalised.kind === 'rejected') {
      if (normalised.id !== undefined) this.sparedIds.add(normalised.id);
      if (row.place !== undefined) this.sparedPlaces.add(row.place);
      this.#reject(row.origin, normalised.reason);
      return;
    }
    for (const warning of normalised.warnings) this.#warn(row.origin, warning);
    const { id: given, place, identity, properties, files, ...fields } = normalised.draft;
    const started = performance.now();
    const { id, collides } = given === undefined ? this.#deriveId(place, identity) : { id: given, collides: false };
    const { name, description } = fields;
    const skill = { id, ...fields };
    const result = this.#sink.put(
      {
        skill,
        properties,
        files,
        copyKey: copyKey(name, description),
        textHash: hashText(embeddedText(name, description)),
        location: identity,
      },
      source,
      // What is said of a row must be said at every load, and an id that others have a say in be chosen at every load.
      normalised.warnings.length === 0 && !collides ? row.fingerprint : undefined,
    );
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (result === 'again') this.#warnAgain(row.origin, id);
  }

  #warnAgain(origin: Origin, id: string): void {
    this.#warn(origin, `the id ${id} came before in this load: this later row is kept`);
  }

  #deriveId(place: string, identity: string): { id: string; collides: boolean } {
    const { slug, lossy, hash } = deriveId(place, identity);
    const withHash = idWithHash(slug, hash);
    if (lossy || slug === '') return { id: withHash, collides: false };
    const id = this.#sink.chooseId(identity, slug, withHash);
    return { id, collides: id !== slug };
  }

  #warn(origin: Origin, message: string): void {
    this.warnings.push({ ...at(origin), message });
  }

  #reject(origin: Origin, reason: string): void {
    this.rejected.push({ ...at(origin), reason });
  }
}

function at({ source, line }: Origin): { origin: string; line?: number } {
  return line === undefined ? { origin: source } : { origin: source, line };
}
