// `npm run bench:hook`: when the command `hook` should be silent, and how long it takes. See README.md here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { FIT_RULES, type FitRule, type FitWay, fitSum, fitValues } from '../src/hook/fit-rule.js';
import { readPromptQuestion } from '../src/hook/prompt-question.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../src/index.js';
import { fitRule, type Outcome } from './hook/fit-weights.js';
import { makeHome } from './hook/make-home.js';
import { type JudgedPrompt, promptsWithNeed, promptsWithoutNeed } from './hook/prompt-files.js';
import { timesOfHook } from './hook/times.js';
import { markdownTable } from './markdown-table.js';

const SHOWN = 5;
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
  /** Whether a useful skill is among the first five. */
  readonly useful: boolean;
}

async function fit(folder: string, { write }: { readonly write?: true }): Promise<void> {
  await using search = await openSkillSearch({ database: databaseIn(folder), warmUp: true });
  const prompts = [...promptsWithNeed(folder), ...promptsWithoutNeed()];
  const rules: Partial<Record<FitWay, FitRule>> = {};
  const rows: string[][] = [];
  for (const way of WAYS) {
    const asked = await Promise.all(prompts.map((prompt) => ask(search, prompt, way)));
    const rule = fitRule(asked.filter(({ half }) => half === 'fit'));
    rules[way] = rule;
    for (const half of ['fit', 'report'] as const) {
      const of = asked.filter((one) => one.half === half);
      rows.push([way === 'words' ? 'words' : 'meaning', half, ...sharesOf(of, rule)]);
      rows.push([
        '',
        'in English',
        ...sharesOf(
          of.filter(({ language = 'en' }) => language === 'en'),
          rule,
        ),
      ]);
    }
  }
  const head = ['by', 'half', 'no need: prompts', 'get any', 'need: prompts', 'useful among 5', 'without a rule'];
  console.log(markdownTable(head, rows));
  if (write === true) writeFileSync(FIT_RULES, `${JSON.stringify(rules, undefined, 2)}\n`);
}

async function ask(
  search: SkillSearch,
  { prompt, half, language, relevant }: JudgedPrompt,
  way: FitWay,
): Promise<Asked> {
  const needsSkill = relevant.length > 0;
  const told = { half, needsSkill, ...(language !== undefined && { language }) };
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

function sharesOf(asked: readonly Asked[], { weights, bound }: FitRule): string[] {
  const isShown = ({ values }: Asked): boolean => values !== undefined && fitSum(values, weights) > bound;
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
