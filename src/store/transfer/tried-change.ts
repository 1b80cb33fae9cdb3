import type { PackedBlob } from '../contents.js';
import type { Connection, Statement } from '../sqlite.js';
import type { Trial } from '../write/open-change.js';
import type { CatalogueChanges, CatalogueHead, StoredVector } from './catalogue-changes.js';
import { headOf, ImageReader } from './image-reader.js';
import type { SkillImage } from './skill-image.js';
import { bytesOfImage } from './skill-image.js';
import { touchedIds, watchTouched } from './touched-ids.js';

/** Bytes of skills that are held in memory: more are compared file by file, and read batch by batch. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * What a small change would make of a catalogue, as `differenceOf` would find it in two files. It takes as long as what
 * the change touches, however large the catalogue is.
 */
export class TriedChange implements Trial {
  readonly #path: string;
  readonly #mostBytes: number;
  #changes: CatalogueChanges | undefined;
  #isTooMuch = false;

  /**
   * @param path of the catalogue, for messages
   * @param mostBytes that may be held
   */
  constructor(path: string, mostBytes: number = MOST_BYTES) {
    this.#path = path;
    this.#mostBytes = mostBytes;
  }

  /** Undefined if nothing changes. */
  get changes(): CatalogueChanges | undefined {
    return this.#changes;
  }

  /** Whether it was more than can be held, or concerns the whole catalogue: it has to be done in a file then. */
  get isTooMuch(): boolean {
    return this.#isTooMuch;
  }

  begin(connection: Connection): void {
    watchTouched(connection);
  }

  see(next: Connection, base: Connection): void {
    const [head, former] = [headOf(next), headOf(base)];
    if (!isOfOneKind(head, former)) {
      this.#isTooMuch = true;
      return;
    }
    const [seenNow, seenBefore] = [new Seen(next, head), new Seen(base, former)];
    const removed: string[] = [];
    const changed: string[] = [];
    for (const id of touchedIds(next, base)) {
      const [now, before] = [seenNow.of(id), seenBefore.of(id)];
      if (now === undefined && before !== undefined) removed.push(id);
      else if (now !== before) changed.push(id);
    }
    if (removed.length + changed.length === 0) return;
    const held = hold(new ImageReader(next, this.#path, head.model), changed, this.#mostBytes);
    if (held === undefined) this.#isTooMuch = true;
    else this.#changes = { ...head, removed, changed, ...held };
  }
}

/** Whether vectors and derived labels of the skills that do not change are those of both states. */
function isOfOneKind({ model, classifier }: CatalogueHead, former: CatalogueHead): boolean {
  const isOfOneModel = model?.id === former.model?.id && model?.dimensions === former.model?.dimensions;
  return isOfOneModel && classifier === former.classifier;
}

/** Looks at skills: two looks differ if anything is another that `differenceOf` compares. */
class Seen {
  readonly #look: Statement<[model: string | null, isClassified: number, id: string], string>;
  readonly #head: CatalogueHead;

  constructor(connection: Connection, head: CatalogueHead) {
    this.#head = head;
    this.#look = connection
      .prepare<[string | null, number, string], string>(`
        SELECT json_array(
          hex(hash),
          EXISTS (SELECT 1 FROM vector
            WHERE model = (SELECT number FROM model WHERE id = ?) AND vector.text_hash = skill.text_hash),
          (SELECT categories FROM derived_label AS label WHERE ? AND label.skill = number AND label.hash = skill.hash),
          (SELECT json_group_array(json_array(name, hex(fingerprint), hex(hash))) FROM (
            SELECT name, fingerprint, known_row.hash FROM claim JOIN source ON source.number = claim.source
              LEFT JOIN known_row ON known_row.source = claim.source AND known_row.skill = claim.skill
            WHERE claim.skill = skill.number ORDER BY name)))
        FROM skill WHERE id = ?`)
      .pluck();
  }

  /** @returns undefined if there is no such skill */
  of(id: string): string | undefined {
    const { model, classifier } = this.#head;
    return this.#look.get(model?.id ?? null, classifier === undefined ? 0 : 1, id);
  }
}

/** @returns undefined if it is more than may be held */
function hold(
  reader: ImageReader,
  ids: readonly string[],
  mostBytes: number,
): Pick<CatalogueChanges, 'images' | 'blobs' | 'vectors'> | undefined {
  const images: SkillImage[] = [];
  const blobs = new Map<string, PackedBlob>();
  const vectors = new Map<string, StoredVector>();
  let bytes = 0;
  for (const id of ids) {
    const image = reader.image(id);
    bytes += bytesOfImage(image);
    if (bytes > mostBytes) return undefined;
    images.push(image);
    const digests = (image.contents?.files ?? []).filter(({ kept }) => kept === 'blob').map(({ sha256 }) => sha256);
    for (const blob of reader.blobs(digests)) blobs.set(blob.sha256, blob);
    if (!image.hasVector) continue;
    for (const vector of reader.vectors([image.columns.textHash])) vectors.set(vector.textHash.toString('hex'), vector);
  }
  return {
    async *images() {
      if (images.length > 0) yield images;
    },
    blobs: async (digests) => found(blobs, digests),
    vectors: async (textHashes) => found(vectors, textHashes),
  };
}

function found<T>(held: ReadonlyMap<string, T>, keys: readonly Buffer[]): T[] {
  return keys.map((key) => held.get(key.toString('hex'))).filter((one) => one !== undefined);
}
