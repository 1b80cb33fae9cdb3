import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { makeFolder } from '../core/index.js';
import { BUNDLED_MODEL, inspectModel } from '../index.js';
import type { CorpusOptions } from './corpus-options.js';

/** Where the catalogues of a corpus lie: in a temporary folder, or where the next run finds them. */
export class CorpusFiles {
  #folder: string | undefined;

  /** The path of a file in the temporary folder of this corpus. */
  async temporary(name: string): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'skill-discovery-evaluate-'));
    return join(this.#folder, name);
  }

  /** Removes what is temporary. */
  async clear(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * The path of a kept catalogue. Its name has a hash of the source, of the model and of whether it has file texts: no
 * two corpora share a file, and no load meets vectors of another model.
 */
export async function keptFile(folder: string, options: CorpusOptions): Promise<string> {
  const { documents, catalogue, files = true, semantic = true, model, embedder } = options;
  const source = resolve(documents ?? catalogue ?? '');
  const by = semantic ? (embedder?.model ?? (await inspectModel(model ?? BUNDLED_MODEL)).id) : '';
  const made = JSON.stringify([source, files || documents === undefined, by]);
  const hash = createHash('sha256').update(made).digest('hex').slice(0, 12);
  // The documents of a benchmark are all called `corpus.jsonl`; its folder tells which they are.
  const name = basename(documents === undefined ? source : resolve(source, '..')).replace(/[^\w.-]+/g, '-');
  makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
  return join(folder, `${name}-${hash}.db`);
}
