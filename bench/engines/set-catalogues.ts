import { makeCorpusFile } from '../../src/evaluation/corpus.js';
import type { AskedCatalogue } from './ask-engines.js';
import type { AskedOf } from './asked-set.js';

export interface CatalogueOptions {
  /** Folder of the published model; undefined if no engine needs it. */
  readonly model: string | undefined;
  /** A catalogue with its vectors, for the sets that have no documents of their own. */
  readonly modelDatabase: string | undefined;
  /** Folder where loaded documents are kept. */
  readonly keep: string | undefined;
}

/** The documents of a set as a catalogue with our vectors, and as one with those of the published model. */
export async function openSetCatalogues(
  of: AskedOf,
  { model, modelDatabase, keep }: CatalogueOptions,
): Promise<AskedCatalogue & AsyncDisposable> {
  const ours = await makeCorpusFile(withKeep(of, keep));
  try {
    const theirs = model === undefined ? undefined : await makePublished(of, { model, modelDatabase, keep });
    const close = async (): Promise<void> => {
      await theirs?.clear();
      await ours.clear();
    };
    const published = model === undefined || theirs === undefined ? undefined : { model, database: theirs.path };
    return { database: ours.path, published, [Symbol.asyncDispose]: close };
  } catch (error) {
    await ours.clear();
    throw error;
  }
}

function makePublished(
  of: AskedOf,
  { model, modelDatabase, keep }: CatalogueOptions & { readonly model: string },
): ReturnType<typeof makeCorpusFile> {
  if (of.database === undefined) return makeCorpusFile({ ...withKeep(of, keep), model });
  if (modelDatabase === undefined) {
    throw new Error(`${of.database} is needed once more, loaded with --model ${model}: name it (--published-database)`);
  }
  return makeCorpusFile({ ...of, database: modelDatabase, model });
}

/** A catalogue need not be kept. */
function withKeep(of: AskedOf, keep: string | undefined): AskedOf & { readonly keep?: string | undefined } {
  return of.database === undefined ? { ...of, keep } : of;
}
