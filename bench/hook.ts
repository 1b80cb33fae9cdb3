// `npm run bench:hook`: when the command `hook` should be silent, and how long it takes. See README.md here.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import {
  boundFor,
  FIT_RULES,
  type FitRule,
  type FitValues,
  type FitWay,
  fitSum,
  fitValues,
} from '../src/hook/fit-rule.js';
import { readPromptQuestion } from '../src/hook/prompt-question.js';
import { type TaskRule, taskScore } from '../src/hook/task-score.js';
import { wordVector } from '../src/hook/word-vector.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../src/index.js';
import { questionVectorOf } from '../src/search/question-vector-of.js';
import { crossFitTask, fitTask, type TaskExample } from './hook/fit-task.js';
import { fitRule, type Outcome } from './hook/fit-weights.js';
import { makeHome } from './hook/make-home.js';
import { partsOfHome } from './hook/parts-of-home.js';
import { type JudgedPrompt, promptsWithNeed, promptsWithoutNeed, tasksToFit } from './hook/prompt-files.js';
import { timesOfHook } from './hook/times.js';
import { markdownTable } from './markdown-table.js';

const SHOWN = 5;
/** Sizes of the homes that are asked: the whole one, and smaller ones that it is parted into. */
const HOMES = [1000, 200, 50];
const WAYS: readonly FitWay[] = ['words', 'hybrid'];

const program = new Command('bench:hook').description('when `hook` should be silent, and how long it takes');

program
  .command('home')
  .description('make a home of 1,000 skills, and prompts that need one of them')
  .argument('<catalogue>', 'JSON Lines, .gz too, with the skills that bench/requests grades')
  .argument('<folder>', 'where the home goes')
  .action(async (catalogue: string, folder: string) => {
    mkdirSync(folder, { recursive: true });
    await makeHome(catalogue, folder);
    await buildCatalogue({ database: databaseIn(folder), sources: [join(folder, 'home.jsonl')] });
  });

program
  .command('fit')
  .description('fit the rule to one half of the prompts, and report on both')
  .argument('<folder>', 'of a home')
  .option('--write', 'write data/hook.json')
  .option('--again', 'with what the last run found')
  .action(fit);

program
  .command('times')
  .description('processor time and time of `hook` beside `node -e 0`, taking turns; needs a build')
  .argument('<folder>', 'of a home')
  .argument('[times]', 'how often', '15')
  .action(async (folder: string, times: string) => console.log(await timesOfHook(databaseIn(folder), Number(times))));

await program.parseAsync();

function databaseIn(folder: string): string {
  return join(folder, 'home.db');
}

interface Asked extends Omit<Outcome, 'values'>, Pick<JudgedPrompt, 'half' | 'language' | 'prompt'> {
  readonly way: FitWay;
  readonly values: Omit<FitValues, 'task'> | undefined;
  /** Whether a useful skill is among the first five. */
  readonly useful: boolean;
}

/** What the homes answered, with the vectors of all prompts by meaning. */
interface Answers {
  readonly asked: readonly Asked[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
  readonly model: string;
}

async function askHomes(folder: string): Promise<Answers> {
  const prompts = [...promptsWithNeed(folder), ...promptsWithoutNeed()];
  const asked: Asked[] = [];
  const vectors: Record<string, readonly number[]> = {};
  let model = '';
  for (const homes of await partsOfHome(folder, HOMES)) {
    for (const { database, ids } of homes) {
      await using search = await openSkillSearch({ database, warmUp: true });
      for (const prompt of prompts) {
        const needed = prompt.relevant.length === 0 || prompt.relevant.some((id) => ids.has(id));
        if (!needed) continue;
        for (const way of WAYS) asked.push(await ask(search, prompt, way, 1 / homes.length));
      }
      for (const prompt of [...prompts.map((one) => one.prompt), ...tasksToFit()]) {
        if (vectors[prompt] !== undefined) continue;
        const q = readPromptQuestion(prompt)?.text;
        if (q === undefined) continue;
        const found = await search.semantic({ q, limit: 1 });
        model = found.model ?? '';
        vectors[prompt] = [...questionVectorOf(found)!];
      }
    }
  }
  return { asked, vectors, model };
}

/** Gives what was asked the score of the task: by rules that did not see the prompt, if it is one of those to fit. */
function withTasks(way: FitWay, { asked, vectors }: Answers): { readonly outcomes: TaskOutcome[]; task: TaskRule } {
  const vectorOf = (prompt: string): Float32Array =>
    way === 'words' ? wordVector(readPromptQuestion(prompt)!.text) : Float32Array.from(vectors[prompt]!);
  const others = promptsWithoutNeed().filter(({ half }) => half === 'fit');
  const toFit = [...tasksToFit().map((prompt) => ({ prompt, writer: undefined })), ...others].filter(
    ({ prompt }) => vectors[prompt] !== undefined,
  );
  const examples = toFit.map(
    ({ prompt, writer }): TaskExample => ({ vector: vectorOf(prompt), isTask: writer === undefined, writer }),
  );
  const task = fitTask(examples);
  const unseen = crossFitTask(examples);
  const places = new Map(toFit.map(({ prompt }, place) => [prompt, place]));
  const outcomes = asked
    .filter((one) => one.way === way)
    .map((one) => {
      const place = one.half === 'fit' ? places.get(one.prompt) : undefined;
      if (one.values === undefined) return { ...one, values: undefined };
      const score = taskScore(place === undefined ? task : unseen(place), vectorOf(one.prompt));
      return { ...one, values: { ...one.values, task: score } };
    });
  return { outcomes, task };
}

type TaskOutcome = Outcome & Omit<Asked, 'values'>;

async function fit(folder: string, { write, again }: { readonly write?: true; readonly again?: true }): Promise<void> {
  const file = join(folder, 'asked.json');
  const answers = again === true ? (JSON.parse(readFileSync(file, 'utf8')) as Answers) : await askHomes(folder);
  writeFileSync(file, JSON.stringify(answers));
  const rules: Partial<Record<FitWay, FitRule>> = {};
  const rows: string[][] = [];
  for (const way of WAYS) {
    const { outcomes: ofWay, task } = withTasks(way, answers);
    const rule = { ...fitRule(ofWay.filter(({ half }) => half === 'fit')), task };
    rules[way] = rule;
    for (const half of ['fit', 'report'] as const) {
      for (const skills of new Set(ofWay.map((one) => one.skills))) {
        const of = ofWay.filter((one) => one.half === half && one.skills === skills);
        const name = way === 'words' ? 'words' : 'meaning';
        rows.push([name, half, String(skills), 'all', ...sharesOf(of, rule)]);
        const english = of.filter(({ language = 'en' }) => language === 'en');
        rows.push([name, half, String(skills), 'English', ...sharesOf(english, rule)]);
      }
    }
  }
  const head = ['by', 'half', 'skills', 'prompts', 'no need', 'get any', 'need', 'useful in 5', 'without a rule'];
  console.log(markdownTable(head, rows));
  if (write === true) writeFileSync(FIT_RULES, `${JSON.stringify({ model: answers.model, ...rules }, undefined, 2)}\n`);
}

async function ask(search: SkillSearch, judged: JudgedPrompt, way: FitWay, share: number): Promise<Asked> {
  const { prompt, half, language, relevant } = judged;
  const { skills } = search.stats();
  const needsSkill = relevant.length > 0;
  // A prompt is needed in the homes that have a skill for it: one of all, or two.
  const weight = needsSkill ? 1 : share;
  const told = { way, prompt, half, skills, needsSkill, weight, ...(language !== undefined && { language }) };
  const question = readPromptQuestion(prompt);
  if (question === undefined) return { ...told, values: undefined, useful: false };
  const { hits } = await search.semantic({ q: question.text, ranking: way, limit: SHOWN, explain: true });
  const isUseful = (id: string): boolean => relevant.includes(id);
  return {
    ...told,
    values: hits.length === 0 ? undefined : fitValues(question, hits),
    useful: hits.some(({ skill, explain }) => isUseful(skill.id) || explain!.copies.some(isUseful)),
  };
}

function sharesOf(asked: readonly TaskOutcome[], rule: FitRule): string[] {
  const isShown = ({ values, skills }: TaskOutcome): boolean =>
    values !== undefined && fitSum(values, rule.weights) > boundFor(rule, skills);
  const needing = asked.filter(({ needsSkill }) => needsSkill);
  const others = asked.filter(({ needsSkill }) => !needsSkill);
  return [
    String(others.length),
    share(others.filter(isShown), others),
    String(needing.length),
    share(
      needing.filter((one) => one.useful && isShown(one)),
      needing,
    ),
    share(
      needing.filter(({ useful }) => useful),
      needing,
    ),
  ];
}

function share(some: readonly unknown[], all: readonly unknown[]): string {
  return `${((100 * some.length) / Math.max(1, all.length)).toFixed(1)} %`;
}
