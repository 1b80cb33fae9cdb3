import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { pick } from '../random.js';
import type { Half, JudgedPrompt } from './prompt-files.js';
import { readRows } from './read-rows.js';

const REQUESTS = new URL('../requests/', import.meta.url);
const SKILLS = 1000;
const PROMPTS = 300;
/** The grade from which on a skill is useful. */
const USEFUL = 2;

interface Request {
  readonly _id: string;
  readonly text: string;
  readonly language: string;
}

/**
 * Makes a home of 1,000 skills: for each of 300 graded requests of `bench/requests` one of the most useful skills, for
 * half of them another useful one, and others of the catalogue by chance. Writes `home.jsonl` and `need.jsonl`.
 *
 * @param catalogue JSON Lines, packed with gzip where the name says so
 */
export async function makeHome(catalogue: string, folder: string, seed = 19): Promise<void> {
  const random = randomNumbers(seed);
  const requests = (['fit', 'report'] as const).flatMap((half) => servedRequests(half));
  const byChance = requests.map((request) => ({ request, place: random() })).sort((a, b) => a.place - b.place);
  const chosen = byChance
    .map(({ request }) => request)
    .sort((a, b) => Number(b.language === 'en') - Number(a.language === 'en'))
    .slice(0, PROMPTS);
  const home = new Set<string>();
  for (const { useful } of chosen) {
    const best = Math.max(...useful.values());
    home.add(
      pick(
        random,
        [...useful].filter(([, grade]) => grade === best).map(([id]) => id),
      ),
    );
    const others = [...useful.keys()].filter((id) => !home.has(id));
    if (others.length > 0 && random() < 0.5) home.add(pick(random, others));
  }
  const rows = await readRows(catalogue);
  const ids = [...rows.keys()].sort();
  while (home.size < Math.min(SKILLS, ids.length)) home.add(pick(random, ids));
  writeLines(
    join(folder, 'home.jsonl'),
    [...home].sort().map((id) => rows.get(id) ?? ''),
  );
  const prompts = chosen.map(
    ({ text, language, half, useful }): JudgedPrompt => ({
      prompt: text,
      half,
      language,
      relevant: [...useful.keys()].filter((id) => home.has(id)),
    }),
  );
  writeLines(
    join(folder, 'need.jsonl'),
    prompts.map((prompt) => JSON.stringify(prompt)),
  );
}

/** Requests that a skill is useful for, with the grades of these. */
function servedRequests(half: Half): (Request & { readonly half: Half; readonly useful: Map<string, number> })[] {
  const grades = new Map<string, Map<string, number>>();
  for (const line of readLines(new URL(`${half}/qrels.tsv`, REQUESTS)).slice(1)) {
    const [request = '', skill = '', grade = ''] = line.split('\t');
    if (Number(grade) < USEFUL) continue;
    const useful = grades.get(request) ?? new Map<string, number>();
    grades.set(request, useful.set(skill, Number(grade)));
  }
  return readLines(new URL(`${half}/queries.jsonl`, REQUESTS)).flatMap((line) => {
    const request = JSON.parse(line) as Request;
    const useful = grades.get(request._id);
    return useful === undefined ? [] : [{ ...request, half, useful }];
  });
}

function readLines(file: URL): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(
    path,
    lines
      .filter((line) => line !== '')
      .map((line) => `${line}\n`)
      .join(''),
  );
}
