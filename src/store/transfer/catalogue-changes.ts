import type { PackedBlob } from '../packing.js';
import type { SkillImage } from './skill-image.js';

/** A vector as it is stored: 32-bit floats, little-endian, of unit length. */
export interface StoredVector {
  /** Of the text that it was made of. */
  readonly textHash: Buffer;
  readonly embedding: Buffer;
}

/** What a catalogue says of itself as a whole. */
export interface CatalogueHead {
  /** Names the state. */
  readonly stamp: string;
  /** The model of all vectors; undefined if there are none. */
  readonly model: { readonly id: string; readonly dimensions: number } | undefined;
  /** Rules of the classifier that made all derived categories; undefined if the catalogue is not classified. */
  readonly classifier: string | undefined;
}

/** What leads from one state of a catalogue to a later one, which `stamp` names. */
export interface CatalogueChanges extends CatalogueHead {
  /** Ids of the skills that are gone. */
  readonly removed: readonly string[];
  /** Ids of the skills that are new, or of which anything is another: their images, their claims, or their vectors. */
  readonly changed: readonly string[];
  /** The images of changed skills, in the order of `changed`, some at a time. */
  images(): AsyncIterable<readonly SkillImage[]>;
  /** Blobs with these digests. Those that are not there are left out. */
  blobs(digests: readonly Buffer[]): Promise<readonly PackedBlob[]>;
  /** Vectors of `model` for texts with these hashes. Those that the state does not have are left out. */
  vectors(textHashes: readonly Buffer[]): Promise<readonly StoredVector[]>;
}
