// `npm run bench:hook`: when the command `hook` should be silent, and how long it takes. See README.md here.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import {
  boundFor,
  FIT_RULES,
  type FitRule,
  type FitRules,
  type FitWay,
  fitSum,
  type TaskRule,
  taskScore,
} from '../src/agents/hook/fit-rule.js';
import { readPromptQuestion } from '../src/agents/hook/rank-prompt.js';
import { WORD_TABLE, wordVector } from '../src/agents/hook/word-table.js';
import { buildCatalogue } from '../src/index.js';
import { type Answers, type Asked, askHomes, homesIn } from './hook/ask-homes.js';
import { crossFitTask, fitTask, type TaskExample } from './hook/fit-task.js';
import { fitRule, type Outcome } from './hook/fit-weights.js';
import { makeHome } from './hook/make-home.js';
import { makeSecondHome } from './hook/make-second-home.js';
import { makeWordTable } from './hook/make-word-table.js';
import { readHome } from './hook/parts-of-home.js';
import { promptsWithoutNeed, tasksToFit } from './hook/prompt-files.js';
import { timesOfHook } from './hook/times.js';
import { markdownTable } from './markdown-table.js';

const WAYS: readonly FitWay[] = ['words', 'hybrid'];
const HEAD = ['by', 'home', 'skills', 'language', 'no need', 'get any', 'need', 'useful in 5', 'without a rule'];

const program = new Command('bench:hook').description('when `hook` should be silent, and how long it takes');

program
  .command('home')
  .description('make two homes of 1,000 skills, and prompts that need one of them')
  .argument('<catalogue>', 'JSON Lines, .gz too, with the skills that bench/requests grades')
  .argument('<folder>', 'where the homes go')
  .action(async (catalogue: string, folder: string) => {
    const [first, second] = homesIn(folder);
    mkdirSync(second, { recursive: true });
    await makeHome(catalogue, first);
    await makeSecondHome(catalogue, second);
    for (const home of [first, second]) {
      await buildCatalogue({ database: databaseIn(home), sources: [join(home, 'home.jsonl')] });
    }
  });

program
  .command('words')
  .description('write data/hook-words.bin: what words mean, by the model and the descriptions of a catalogue')
  .argument('<catalogue>', 'JSON Lines, .gz too')
  .argument('<folder>', 'of homes, whose skills are left out')
  .action(async (catalogue: string, folder: string) => {
    const ids = homesIn(folder).flatMap((home) => readHome(home).map(({ id }) => id));
    writeFileSync(WORD_TABLE, await makeWordTable(catalogue, new Set(ids)));
  });

program
  .command('fit')
  .description('fit the rules to one half of the prompts, and say what they do with these')
  .argument('<folder>', 'of a home')
  .option('--write', 'write data/hook.json')
  .addOption(new Option('--by <way>', 'only the rule by words, or by meaning').choices(['words', 'hybrid']))
  .option('--again', 'with what the last run found')
  .action(fit);

program
  .command('report')
  .description('what the rule of data/hook.json does with the prompts that it was not fitted to')
  .argument('<folder>', 'of homes')
  .addOption(new Option('--by <way>', 'only the rule by words, or by meaning').choices(['words', 'hybrid']))
  .action(report);

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

/** The vector of a prompt that its task is told by; undefined if there is nothing to look skills up for. */
function vectorOf(prompt: string, way: FitWay, { vectors }: Answers): Float32Array | undefined {
  const question = readPromptQuestion(prompt);
  if (question === undefined) return undefined;
  return way === 'words' ? wordVector(question.text) : Float32Array.from(vectors[prompt]!);
}

/** Gives what was asked the score of the task. */
function withTasks(way: FitWay, answers: Answers, ruleFor: (asked: Asked) => TaskRule): TaskOutcome[] {
  return answers.asked
    .filter((one) => one.way === way)
    .map((one) => {
      if (one.values === undefined) return { ...one, values: undefined };
      return { ...one, values: { ...one.values, task: taskScore(ruleFor(one), vectorOf(one.prompt, way, answers)!) } };
    });
}

type TaskOutcome = Outcome & Omit<Asked, 'values'>;

/** The score of the task, and for prompts to fit one by rules that did not see the prompt. */
function fitTasks(
  way: FitWay,
  answers: Answers,
): { readonly task: TaskRule; readonly ruleFor: (asked: Asked) => TaskRule } {
  const others = promptsWithoutNeed().filter(({ half }) => half === 'fit');
  const toFit = [...tasksToFit().map((prompt) => ({ prompt, writer: undefined })), ...others].flatMap((one) => {
    const vector = vectorOf(one.prompt, way, answers);
    return vector === undefined ? [] : [{ ...one, vector }];
  });
  const examples = toFit.map(({ vector, writer }): TaskExample => ({ vector, isTask: writer === undefined, writer }));
  const task = fitTask(examples);
  const unseen = crossFitTask(examples);
  const places = new Map(toFit.map(({ prompt }, place) => [prompt, place]));
  const ruleFor = ({ half, prompt }: Asked): TaskRule => {
    const place = half === 'fit' ? places.get(prompt) : undefined;
    return place === undefined ? task : unseen(place);
  };
  return { task, ruleFor };
}

interface FitOptions {
  readonly write?: true;
  readonly again?: true;
  readonly by?: FitWay;
}

async function fit(folder: string, { write, again, by }: FitOptions): Promise<void> {
  const file = join(folder, 'asked.json');
  const ways = by === undefined ? WAYS : [by];
  const answers =
    again === true ? (JSON.parse(readFileSync(file, 'utf8')) as Answers) : await askHomes(folder, ways, 'fit');
  writeFileSync(file, JSON.stringify(answers));
  let rules = JSON.parse(readFileSync(FIT_RULES, 'utf8')) as FitRules;
  const rows: string[][] = [];
  for (const way of ways) {
    const { task, ruleFor } = fitTasks(way, answers);
    const outcomes = withTasks(way, answers, ruleFor);
    rules = { ...rules, model: answers.model, [way]: { ...fitRule(outcomes), task } };
    rows.push(...rowsOf(way, outcomes, rules[way]));
  }
  console.log(markdownTable(HEAD, rows));
  if (write === true) writeFileSync(FIT_RULES, `${JSON.stringify(rules, undefined, 2)}\n`);
}

async function report(folder: string, { by }: Pick<FitOptions, 'by'>): Promise<void> {
  const ways = by === undefined ? WAYS : [by];
  const answers = await askHomes(folder, ways, 'report');
  const rules = JSON.parse(readFileSync(FIT_RULES, 'utf8')) as FitRules;
  if (rules.model !== answers.model) throw new Error(`data/hook.json was fitted with ${rules.model}`);
  const rows = ways.flatMap((way) => {
    const rule = rules[way];
    return rowsOf(
      way,
      withTasks(way, answers, () => rule.task),
      rule,
    );
  });
  console.log(markdownTable(HEAD, rows));
}

function rowsOf(way: FitWay, outcomes: readonly TaskOutcome[], rule: FitRule): string[][] {
  return (['first', 'second'] as const).flatMap((home) =>
    [...new Set(outcomes.map(({ skills }) => skills))].flatMap((skills) => {
      const of = outcomes.filter((one) => one.skills === skills && one.home === home);
      const english = of.filter(({ language = 'en' }) => language === 'en');
      const others = of.filter(({ language = 'en' }) => language !== 'en');
      const told = [way === 'words' ? 'words' : 'meaning', home, String(skills)];
      const rows = [[...told, 'English', ...sharesOf(english, rule)]];
      if (others.length > 0) rows.push([...told, 'not English', ...sharesOf(others, rule)]);
      return rows;
    }),
  );
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
