// `npm run bench:hook`: when the command `hook` should be silent, and how long it takes. See README.md here.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { boundFor, FIT_RULES, type FitRule, type FitWay, fitSum, fitValues } from '../src/hook/fit-rule.js';
import { readPromptQuestion } from '../src/hook/prompt-question.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../src/index.js';
import { fitRule, type Outcome } from './hook/fit-weights.js';
import { makeHome } from './hook/make-home.js';
import { partsOfHome } from './hook/parts-of-home.js';
import { type JudgedPrompt, promptsWithNeed, promptsWithoutNeed } from './hook/prompt-files.js';
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

interface Asked extends Outcome, Pick<JudgedPrompt, 'half' | 'language'> {
  readonly way: FitWay;
  /** Whether a useful skill is among the first five. */
  readonly useful: boolean;
}

async function askHomes(folder: string): Promise<Asked[]> {
  const prompts = [...promptsWithNeed(folder), ...promptsWithoutNeed()];
  const asked: Asked[] = [];
  for (const homes of await partsOfHome(folder, HOMES)) {
    for (const { database, ids } of homes) {
      await using search = await openSkillSearch({ database, warmUp: true });
      for (const prompt of prompts) {
        const needed = prompt.relevant.length === 0 || prompt.relevant.some((id) => ids.has(id));
        if (!needed) continue;
        for (const way of WAYS) asked.push(await ask(search, prompt, way, 1 / homes.length));
      }
    }
  }
  return asked;
}

async function fit(folder: string, { write, again }: { readonly write?: true; readonly again?: true }): Promise<void> {
  const file = join(folder, 'asked.json');
  const asked = again === true ? (JSON.parse(readFileSync(file, 'utf8')) as Asked[]) : await askHomes(folder);
  writeFileSync(file, JSON.stringify(asked));
  const rules: Partial<Record<FitWay, FitRule>> = {};
  const rows: string[][] = [];
  for (const way of WAYS) {
    const ofWay = asked.filter((one) => one.way === way);
    const rule = fitRule(ofWay.filter(({ half }) => half === 'fit'));
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
  if (write === true) writeFileSync(FIT_RULES, `${JSON.stringify(rules, undefined, 2)}\n`);
}

async function ask(search: SkillSearch, judged: JudgedPrompt, way: FitWay, share: number): Promise<Asked> {
  const { prompt, half, language, relevant } = judged;
  const { skills } = search.stats();
  const needsSkill = relevant.length > 0;
  // A prompt is needed in the homes that have a skill for it: one of all, or two.
  const weight = needsSkill ? 1 : share;
  const told = { way, half, skills, needsSkill, weight, ...(language !== undefined && { language }) };
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

function sharesOf(asked: readonly Asked[], rule: FitRule): string[] {
  const isShown = ({ values, skills }: Asked): boolean =>
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
