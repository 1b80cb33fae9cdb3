import { copyKey } from './catalogue/copy-key.js';
import { normaliseRow } from './catalogue/normalise-row.js';
import type { Origin, RawRow, SourceItem } from './catalogue/row.js';
import { deriveId, idWithHash } from './catalogue/skill-id.js';
import type { LoadWarning, RejectedRow } from './load-report.js';
import { embeddedText, hashText } from './semantic/embedded-text.js';
import type { SkillSink } from './store/skill-sink.js';

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
    if (item.place !== undefined) this.sparedPlaces.add(item.place);
    if (item.hidesSkills === true) this.incomplete.add(item.origin.source);
    this.#reject(item.origin, item.reason);
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
    const id = given ?? this.#deriveId(place, identity);
    const { name, description } = fields;
    const skill = { id, ...fields };
    const result = this.#sink.put(
      {
        skill,
        properties,
        files,
        copyKey: copyKey(name, description),
        textHash: hashText(embeddedText(name, description)),
        place: identity,
      },
      source,
    );
    this.storingMs += performance.now() - started;
    this.skills += 1;
    if (result === 'again') this.#warn(row.origin, `the id ${id} came before in this load: this later row is kept`);
  }

  #deriveId(place: string, identity: string): string {
    const { slug, lossy, hash } = deriveId(place, identity);
    const withHash = idWithHash(slug, hash);
    return lossy || slug === '' ? withHash : this.#sink.chooseId(identity, slug, withHash);
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
