import { checkRows, giveWay } from '../core/index.js';
import { hashTexts, textsToEmbed } from '../semantic/index.js';
import type { DraftContents, SkillFolder } from '../skill.js';
import {
  checkRow,
  deriveId,
  idWithHash,
  type KnownRow,
  type Origin,
  type RawRow,
  readRows,
  type SourceItem,
  type SourceRemark,
  type UnreadableRow,
} from '../sources/index.js';
import { copyKey, type PackedBlob, packBlob, type SkillSink, type SparedPlace, withoutMark } from '../store/writing.js';
import { forReport, type LoadWarning, ReportBuilder, type RowProblems } from './reports.js';

/** Rows that did not become a skill whose stored skills are kept by name. With more, nothing at all is pruned. */
const MAX_SPARED = 100_000;

/** Incomplete sources that are remembered. */
const MAX_INCOMPLETE = 1000;

/** What a good row says. */
type Draft = Extract<ReturnType<typeof checkRow>, { kind: 'skill' }>['draft'];

/** Puts the rows of a load into the store, and notes what became of them. */
export class Ingest {
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
  /** Rows that became a skill. */
  skills: number = 0;
  readonly #sink: SkillSink;
  readonly #report: ReportBuilder;
  readonly #withContents: boolean;

  /** @param withContents whether what skills are made of is stored */
  constructor(sink: SkillSink, report: ReportBuilder, withContents = true) {
    this.#sink = sink;
    this.#report = report;
    this.#withContents = withContents;
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
      this.#report.warnOfRow(item.origin, item.message);
      return undefined;
    }
    this.#report.rows += 1;
    if (item.kind === 'row') return this.#takeRow(item, source);
    if (item.kind === 'known') this.#takeKnown(item, source);
    else this.#takeUnreadable(item, source);
    return undefined;
  }

  #takeUnreadable({ location, folder, hidesSkills, origin, reason }: UnreadableRow, source: string): void {
    if (location !== undefined && this.#canSpare(origin, source)) this.spared.places.push({ location, folder });
    if (hidesSkills === true) this.#noteIncomplete(origin, source, reason);
    this.#report.reject(origin, reason);
  }

  #takeKnown({ fingerprint, origin }: KnownRow, source: string): void {
    const id = this.#report.storing(() => this.#sink.putKnown?.(fingerprint, source));
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
      this.#report.reject(row.origin, checked.reason);
      return undefined;
    }
    for (const warning of checked.warnings) this.#report.warnOfRow(row.origin, warning);
    // A row with warnings must be read at every load.
    const isFact = checked.warnings.length === 0;
    return this.#report.storing(() => this.#store(row, checked.draft, isFact, source));
  }

  #store(row: RawRow, draft: Draft, isFact: boolean, source: string): Promise<void> | undefined {
    const { id: given, location, exactLocation: exact, properties, files, contents, ...fields } = draft;
    const exactLocation = withoutMark(exact);
    const { id, collides } =
      given === undefined ? this.#deriveId(location, exactLocation, row.folder) : { id: given, collides: false };
    const { name, description } = fields;
    const isLeftOut = contents !== undefined && !this.#withContents;
    const item = {
      skill: { id, ...fields },
      properties,
      files,
      copyKey: copyKey(name, description),
      textHash: hashTexts(textsToEmbed({ name, description, properties, files })),
      location: exactLocation,
      folder: row.folder,
      contents: isLeftOut ? undefined : contents,
    };
    // Nor is one known whose id depends on other skills, or that is not stored as it says.
    const fingerprint = isFact && !collides && !isLeftOut ? row.fingerprint : undefined;
    const put = (blobs?: readonly PackedBlob[]): void => {
      const result = this.#sink.put(item, source, fingerprint, blobs);
      this.skills += 1;
      if (result === 'again') this.#warnAgain(row.origin, id);
    };
    const packing = packContents(item.contents, (sha256) => this.#sink.lacksBlob(sha256));
    if (packing === undefined) put();
    return packing?.then((blobs) => this.#report.storing(() => put(blobs)));
  }

  #deriveId(
    location: string,
    exactLocation: string,
    folder: SkillFolder | undefined,
  ): { id: string; collides: boolean } {
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
    this.#report.warnOfRow(origin, `the id ${id} came before in this load: this later row is kept`);
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
}

/**
 * Packs those bytes of a skill that the store lacks, each once, outside of this thread.
 *
 * @returns undefined if it lacks none, so that nobody need wait
 */
function packContents(
  contents: DraftContents | undefined,
  lacks: (sha256: string) => boolean,
): Promise<PackedBlob[]> | undefined {
  const lacking = new Map<string, Uint8Array>();
  for (const { sha256, bytes } of contents?.files ?? []) {
    if (bytes instanceof Uint8Array && !lacking.has(sha256) && lacks(sha256)) lacking.set(sha256, bytes);
  }
  if (lacking.size === 0) return undefined;
  return Promise.all(Array.from(lacking, ([sha256, bytes]) => packBlob(sha256, bytes)));
}

/**
 * Reads rows to the end, and returns what puts them into a catalogue in memory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` if they cannot be iterated
 * @throws the signal's reason when aborted
 */
export async function readRowsForMemory(
  rows: unknown,
  signal: AbortSignal | undefined,
): Promise<(memory: SkillSink) => Promise<RowProblems>> {
  const items: SourceItem[] = [];
  for await (const item of readRows(checkRows(rows, 'skills'), 'skills', { signal })) {
    items.push(item);
    await giveWay(signal);
  }
  return async (memory) => {
    const report = new ReportBuilder({});
    const ingest = new Ingest(memory, report);
    for (const item of items) {
      await ingest.take(item, 'skills');
      await giveWay(signal);
    }
    return report.problems();
  };
}
