import { existsSync } from 'node:fs';
import { copyKey } from '../copies/copy-key.js';
import { isCurrentKeywordFile } from '../indexing/keyword-file.js';
import { embeddedText, hashText } from '../semantic/embedded-text.js';
import { vectorFilesAreCurrent } from '../semantic/nearest/vector-files.js';
import { isDamage, problemIn } from '../store/damaged.js';
import { filesBeside } from '../store/file-names.js';
import { CatalogueCheck } from '../store/read/catalogue-check.js';
import type { CatalogueProblem, CheckReport } from './check-report.js';

const REPAIR = 'run `skill-discovery check --repair`';
const LOAD_AGAIN = 'load its source again';
const LOAD_ALL = 'load all sources into a new file';

/** Reads everything of a catalogue and its derived files; see `checkCatalogue`. */
export async function findProblems(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Omit<CheckReport, 'repaired'>> {
  const problems: CatalogueProblem[] = [];
  const add = (part: CatalogueProblem['part'], problem: string, remedy: string, more: object = {}): void => {
    problems.push({ part, path, problem, remedy, ...more });
  };
  const check = CatalogueCheck.open(path);
  try {
    for (const problem of check.structure()) {
      const isRepairable = /\bindex\b/.test(problem) && check.damagedTables.length === 0;
      const remedy = isRepairable ? REPAIR : LOAD_ALL;
      add('database', `SQLite says: ${problem}`, remedy);
    }
    for (const table of check.damagedTables) {
      add('database', `the schema of the table ${table} is not as it was written`, LOAD_ALL);
    }
    if (check.damagedTables.length > 0) return { skills: 0, vectors: 0, problems };
    if (!check.hasChecksums) {
      add('database', 'it is of the format without checksums', `${REPAIR}, or load anything: either completes it`);
    }
    // What cannot be read to its end throws. What was found before is told all the same.
    try {
      for (const problem of check.contradictions()) add('database', problem, REPAIR);
      const found = await check.contents(signal, (row, files) => {
        const { name, description } = JSON.parse(row.record) as { name: string; description: string };
        if (copyKey(name, description) !== row.copyKey) return 'its key of copies does not follow from its text';
        if (!hashText(embeddedText(name, description)).equals(row.textHash)) {
          return 'the hash of its text does not follow from its text';
        }
        return files.length === 0 ? 'it has no files' : undefined;
      });
      for (const { id, fault } of found.skills) add('skill', fault, LOAD_AGAIN, { skill: id });
      for (const problem of found.vectors) add('vectors', problem, `${REPAIR}, then load anything: that embeds again`);
    } catch (error) {
      if (!isDamage(error)) throw error;
      add('database', problemIn(error), LOAD_ALL);
    }
    await addDerived(path, check, add);
    return { skills: check.skills, vectors: check.vectors, problems };
  } finally {
    check.close();
  }
}

/** Reads the derived files completely. */
async function addDerived(
  path: string,
  { stamp, model }: CatalogueCheck,
  add: (part: CatalogueProblem['part'], problem: string, remedy: string, more: object) => void,
): Promise<void> {
  const files = filesBeside(path);
  const problemOf = (file: string): string =>
    existsSync(file) ? 'it is damaged, or belongs to another state of the catalogue' : 'it is missing';
  if (!(await isCurrentKeywordFile(path, stamp))) {
    add('keyword file', problemOf(files.keyword), REPAIR, { path: files.keyword });
  }
  if (model !== undefined && !(await vectorFilesAreCurrent({ files, stamp, model }))) {
    add('vector files', problemOf(files.vectors), REPAIR, { path: files.vectors });
  }
}
