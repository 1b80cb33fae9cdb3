import type { SkillNumber } from '../../core/index.js';
import { noteSignatureRules, signatureFor } from '../copies/text-signature.js';
import { createInMemory } from '../database.js';
import { newStamp, writeMeta } from '../notes.js';
import type { PackedBlob } from '../packing.js';
import { CatalogueReader } from '../read/catalogue-reader.js';
import type { Connection } from '../sqlite.js';
import { type SkillToStore, toColumns } from '../stored-skill.js';
import { chooseId, type SkillSink } from './pruning.js';
import type { EmbeddedText, EmbeddingSink, TextToEmbed } from './vectors.js';
import { WriterStatements } from './writer-statements.js';

/** A catalogue in memory: the same tables, without a file. */
export class MemoryCatalogue implements SkillSink, EmbeddingSink {
  readonly #connection: Connection = createInMemory();
  readonly #statements = new WriterStatements(this.#connection);
  #model = '';
  #changed = new Set<string>();

  chooseId(location: string, slug: string, slugWithHash: string): string {
    return chooseId((id) => this.#statements.placeOf.get(id), location, slug, slugWithHash);
  }

  lacksBlob(sha256: string): boolean {
    return !this.#statements.hasBlob(sha256);
  }

  put(item: SkillToStore, _source?: string, _fingerprint?: string, blobs?: readonly PackedBlob[]): 'stored' | 'again' {
    const columns = toColumns(item);
    const stored = this.#statements.find.get(columns.id);
    this.#changed.add(columns.id);
    const signature = signatureFor(item.skill, item.files);
    this.#statements.save(columns, { ...item, signature, blobs }, stored?.number);
    return stored === undefined ? 'stored' : 'again';
  }

  /** @returns whether there was such a skill */
  remove(id: string): boolean {
    const isHere = this.#statements.find.get(id) !== undefined;
    this.#statements.remove(id);
    return isHere;
  }

  /** The ids of the skills that were put since the last call. */
  takeChanged(): Iterable<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  useModel(model: string): SkillNumber[] {
    this.#model = model;
    writeMeta(this.#connection, 'model', model);
    return this.#statements.vectors.missing(model);
  }

  get dimensions(): number | undefined {
    return this.#statements.vectors.dimensions(this.#model);
  }

  textToEmbed(skill: SkillNumber): TextToEmbed {
    return this.#statements.vectors.text(skill)!;
  }

  putVectors(vectors: Iterable<EmbeddedText>): void {
    for (const { textHash, vector } of vectors) this.#statements.vectors.put(this.#model, textHash, vector);
  }

  /**
   * Makes the next revision of what was written, and reads it. Readers of former revisions must not be used any more.
   * Closing the reader frees the memory.
   */
  read(): CatalogueReader {
    noteSignatureRules(this.#connection);
    this.#statements.deleteUnusedBlobs();
    writeMeta(this.#connection, 'stamp', newStamp());
    return new CatalogueReader(this.#connection);
  }

  /** Frees the memory, if {@link read} was not called. */
  close(): void {
    this.#connection.close();
  }
}
