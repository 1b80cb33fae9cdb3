import { arraysOf } from '../arrays/array-tree.js';
import { DamagedImageError, PagedImage } from '../arrays/paged-image.js';
import { writeImage } from '../arrays/write-image.js';
import type { PackedKeywords } from '../keyword/packed/packed-keywords.js';
import { filesBeside } from '../store/file-names.js';
import type { PackedColumns } from '../store/read/columns.js';

/** What is derived from a catalogue for searching it by words, as arrays. */
export interface CatalogueArrays {
  readonly keywords: PackedKeywords;
  readonly columns: PackedColumns;
}

/** @throws Error of the file system; what stood there before is left then */
export function writeCatalogueImage(catalogue: string, stamp: string, arrays: CatalogueArrays): void {
  writeImage(filesBeside(catalogue).keyword, stamp, arrays);
}

/** The derived file of a state of a catalogue, opened; only what is needed of it is read. */
export interface OpenCatalogueImage extends CatalogueArrays {
  readonly image: PagedImage;
}

/** @returns undefined where there is no such file, or its header is not to be believed, or it is of another state */
export function openCatalogueImage(catalogue: string, stamp: string): OpenCatalogueImage | undefined {
  const image = PagedImage.open(filesBeside(catalogue).keyword, stamp);
  if (image === undefined) return undefined;
  // The version in its header says that these are all.
  return { image, ...(image.tree as unknown as CatalogueArrays) };
}

/**
 * The arrays of whatever state the derived file is of, all of them read.
 *
 * @returns undefined where there is no such file, or it is not to be believed
 */
export async function readCatalogueImage(catalogue: string): Promise<CatalogueArrays | undefined> {
  const image = PagedImage.open(filesBeside(catalogue).keyword);
  if (image === undefined) return undefined;
  try {
    await image.load(arraysOf(image.tree).map(({ value }) => value));
    return image.tree as unknown as CatalogueArrays;
  } catch (error) {
    if (error instanceof DamagedImageError) return undefined;
    throw error;
  } finally {
    image.close();
  }
}
