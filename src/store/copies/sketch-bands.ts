import type { DocumentNumber } from '../../core/index.js';
import { MOST_DIFFERING, type SignedDocuments } from './are-near.js';
import { SKETCH_BYTES } from './text-signature.js';

/**
 * A sketch is divided into bands. Near sketches differ in fewer values than there are bands, so at least one band is
 * equal: comparing texts with an equal band misses nothing.
 */
const BANDS = MOST_DIFFERING + 1;
const BAND_BYTES = Math.floor(SKETCH_BYTES / BANDS);

/** The bands of a document's sketch, each as one number: the index of the band, then its six bytes. */
export function bandsOf({ sketches }: SignedDocuments, document: DocumentNumber): number[] {
  const view = new DataView(sketches.buffer, sketches.byteOffset + document * SKETCH_BYTES, SKETCH_BYTES);
  return Array.from({ length: BANDS }, (_, band) => {
    const at = band * BAND_BYTES;
    return band * 2 ** 48 + view.getUint32(at) * 2 ** 16 + view.getUint16(at + 4);
  });
}
