import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CorpusOptions } from '../../src/evaluation/index.js';

/**
 * Judged questions that weights are fitted to, and what they are asked of: the folder's own corpus where there is no
 * database. All paths are resolved.
 */
export interface JudgedSet extends Pick<CorpusOptions, 'database' | 'extra' | 'extraFiles' | 'without'> {
  readonly name: string;
  /** In the BEIR layout, or JSON Lines of questions and ids. */
  readonly folder: string;
  /** Questions whose id it fits only. */
  readonly filter?: RegExp | undefined;
  /** At most so many questions, evenly chosen. */
  readonly most?: number | undefined;
  /** Whether it belongs to this project. */
  readonly own: boolean;
  /** What the set counts beside the others. */
  readonly weight: number;
  /** Whether its questions are in languages that the model does not read, whatever they show. */
  readonly foreign: boolean;
}

/** A line of a file of sets: paths are of the benchmark folder, or the folder's own files. */
interface SetOfFile {
  readonly folder: string;
  readonly name?: string;
  readonly catalogue?: true;
  readonly extra?: string;
  readonly extraFiles?: string;
  readonly without?: string;
  readonly filter?: string;
  readonly most?: number;
  /** 1 if it is missing. */
  readonly weight?: number;
  /** True if its questions are in languages that the model does not read. */
  readonly foreign?: true;
  /** True if its paths are from the root of the project. */
  readonly own?: true;
  /** A catalogue of its own: that of the sample, which `npm start` makes. */
  readonly database?: string;
}

export interface SetOptions {
  /** What sets ask that have no corpus of their own. */
  readonly database?: string | undefined;
  /** Where the folders of the file of sets are. */
  readonly root?: string | undefined;
}

/** The sets of some folders with a corpus of their own. */
export function setsOfFolders(folders: readonly string[]): JudgedSet[] {
  return folders.map((folder) => ({ name: folder, folder: resolve(folder), own: false, weight: 1, foreign: false }));
}

/** The sets that a JSON file lists. */
export async function readSets(path: string, { database, root = dirname(path) }: SetOptions): Promise<JudgedSet[]> {
  const listed = JSON.parse(await readFile(path, 'utf8')) as readonly SetOfFile[];
  return listed.map((listedSet) => {
    const { folder, name = folder, catalogue, extra, extraFiles, without, filter, most, own } = listedSet;
    const { weight = 1, foreign = false } = listedSet;
    if (catalogue === true && database === undefined) throw new Error(`${name} asks a catalogue: name it (--database)`);
    const full = own === true ? ofProject(folder) : resolve(root, folder);
    const inside = (file: string | undefined): string | undefined =>
      file === undefined ? undefined : join(full, file);
    return {
      name,
      folder: full,
      database: catalogue === true ? database : ofProject(listedSet.database),
      extra: inside(extra),
      extraFiles: inside(extraFiles),
      without: inside(without),
      filter: filter === undefined ? undefined : new RegExp(filter),
      most,
      own: own === true,
      weight,
      foreign,
    };
  });
}

function ofProject(path: string): string;
function ofProject(path: string | undefined): string | undefined;
function ofProject(path: string | undefined): string | undefined {
  return path === undefined ? undefined : fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
