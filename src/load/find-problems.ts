import { existsSync } from 'node:fs';
import { isDamage } from '../core/index.js';
import {
  indexKeywords,
  indexVectors,
  isCurrentKeywordFile,
  isWholeKeywordFile,
  stampOfKeywordFile,
} from '../indexing/index.js';
import {
  areWholeVectorFiles,
  embeddedText,
  hashText,
  stampOfVectorFile,
  vectorFilesAreCurrent,
} from '../semantic/index.js';
import { filesBeside, isLoading, NEW_FILE, problemIn, readStamp } from '../store/index.js';
import { CatalogueCheck, CatalogueRepair, copyKey, fieldsOf, structureFaults } from '../store/writing.js';
import type { CatalogueProblem, CheckReport } from './reports.js';

const REPAIR = 'check it with the option repair';
const LOAD_AGAIN = 'load its source again';

/** States of a catalogue that are checked at most, if loads replace it meanwhile. */
const MOST_STATES = 4;

/** What a look at a catalogue finds. */
type Found = Omit<CheckReport, 'repaired'>;
type Add = (part: CatalogueProblem['part'], problem: string, remedy: string, more?: object) => void;

/**
 * Reads everything of a catalogue and its derived files; see `checkCatalogue`. If a load replaces the catalogue
 * meanwhile, the derived files belong to another state than was checked, so it begins again.
 */
export async function findProblems(path: string, signal: AbortSignal | undefined): Promise<Found> {
  for (let states = 1; ; states++) {
    const { isReplaced, ...found } = await findInState(path, signal);
    if (!isReplaced || states === MOST_STATES) return found;
  }
}

/** @returns also whether derived files do not fit because the catalogue was replaced */
async function findInState(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Found & { readonly isReplaced: boolean }> {
  const problems: CatalogueProblem[] = [];
  const add: Add = (part, problem, remedy, more = {}) => {
    problems.push({ part, path, problem, remedy, ...more });
  };
  // First: nobody else could end what reads pages that lead in circles.
  const faults = await structureFaults(path, 'full', signal);
  const check = CatalogueCheck.open(path);
  try {
    for (const problem of faults) {
      const isRepairable = /\bindex\b/.test(problem);
      const remedy = isRepairable ? REPAIR : NEW_FILE;
      add('database', `SQLite says: ${problem}`, remedy);
    }
    // What cannot be read to its end throws. What was found before is told all the same.
    try {
      for (const problem of check.contradictions()) add('database', problem, REPAIR);
      const found = await check.contents(signal, (row) => {
        const { name, description } = fieldsOf(row);
        if (copyKey(name, description) !== row.copyKey) return 'its key of copies does not follow from its text';
        const isOfText = hashText(embeddedText(name, description)).equals(row.textHash);
        return isOfText ? undefined : 'the hash of its text does not follow from its text';
      });
      for (const { id, fault } of found.skills) add('skill', fault, LOAD_AGAIN, { skill: id });
      for (const problem of found.vectors) add('vectors', problem, `${REPAIR}, then load anything: that embeds again`);
    } catch (error) {
      if (!isDamage(error)) throw error;
      add('database', problemIn(error), NEW_FILE);
    }
    const { wrong, outdated, isReplaced } = await checkDerived(path, check);
    problems.push(...wrong);
    return { skills: check.skills, vectors: check.vectors, problems, outdated, isReplaced };
  } finally {
    check.close();
  }
}

/** Reads the derived files completely. */
async function checkDerived(
  path: string,
  { stamp, states, model }: CatalogueCheck,
): Promise<{
  readonly wrong: readonly CatalogueProblem[];
  readonly outdated: readonly CatalogueProblem[];
  readonly isReplaced: boolean;
}> {
  const files = filesBeside(path);
  const wasLoading = isLoading(path);
  const unfit: (Pick<CatalogueProblem, 'part' | 'path'> & { readonly isWhole: boolean })[] = [];
  // After small changes, searches use the files of a former state, and what changed since.
  const words = stampOfKeywordFile(path);
  const former = words !== undefined && states.includes(words) ? words : stamp;
  if (!(await isCurrentKeywordFile(path, former))) {
    unfit.push({ part: 'keyword file', path: files.keyword, isWhole: await isWholeKeywordFile(path) });
  }
  const vectors = stampOfVectorFile(files.vectors);
  const formerVectors = vectors !== undefined && states.includes(vectors) ? vectors : stamp;
  if (model !== undefined && !(await vectorFilesAreCurrent({ files, stamp: formerVectors, model }))) {
    unfit.push({ part: 'vector files', path: files.vectors, isWhole: await areWholeVectorFiles(files) });
  }
  const wrong: CatalogueProblem[] = [];
  const outdated: CatalogueProblem[] = [];
  if (unfit.length === 0) return { wrong, outdated, isReplaced: false };
  const isReplaced = readStamp(path) !== stamp;
  const isInMaking = wasLoading || isReplaced || isLoading(path);
  for (const { part, path: file, isWhole } of unfit) {
    if (isInMaking) {
      outdated.push({ part, path: file, problem: 'a load is making it', remedy: 'wait for the end of the load' });
    } else if (isWhole) {
      const problem = 'it belongs to another state of the catalogue, or to another version';
      outdated.push({ part, path: file, problem, remedy: `${REPAIR}, or load anything` });
    } else {
      const problem = existsSync(file) ? 'it is damaged, or of another version' : 'it is missing';
      wrong.push({ part, path: file, problem, remedy: REPAIR });
    }
  }
  return { wrong, outdated, isReplaced };
}

/** The problems among some that a later look did not find any more. */
export function repairedProblems(before: readonly CatalogueProblem[], left: Found): CatalogueProblem[] {
  const isLeft = new Set([...left.problems, ...left.outdated].map(nameOf));
  return before.filter((problem) => !isLeft.has(nameOf(problem)));
}

function nameOf({ part, path, skill, problem }: CatalogueProblem): string {
  return JSON.stringify([part, path, skill, problem]);
}

/**
 * Makes again what can be derived. What cannot be repaired is left as it is: the next check tells it.
 *
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
export async function repairCatalogue(path: string, signal: AbortSignal | undefined): Promise<void> {
  let repair: CatalogueRepair | undefined;
  try {
    repair = await CatalogueRepair.publish(path, signal);
    await indexKeywords(path, { signal });
    await indexVectors(path, { signal, onProgress: () => {} });
  } catch (error) {
    if (!isDamage(error)) throw error;
  } finally {
    repair?.close();
  }
}
