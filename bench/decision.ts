// `npm run bench:decision`: which skill, or none. See bench/decision/README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { RANKINGS } from '../src/result.js';
import type { DecisionModel } from '../src/search/ranking/decision.js';
import { RANKING_MODEL, type RankingModel } from '../src/search/ranking/features.js';
import { askHomes } from './decision/ask.js';
import { fitRule, fitTask } from './decision/fit.js';
import { makeHomes } from './decision/homes.js';
import type { Half } from './decision/questions.js';
import { reportOf } from './decision/report.js';
import { timesOfHook } from './decision/times.js';

const program = new Command('bench:decision').description('which skill is shown, or none, and how long `hook` takes');

program
  .command('homes')
  .description('load the homes that questions are asked of')
  .argument('<catalogue>', 'JSON Lines, .gz too: the published skills')
  .argument('<folder>', 'where the homes go')
  .option('--published', 'load all of the catalogue as well')
  .action(makeHomes);

program
  .command('fit')
  .description('fit the rules of data/ranking.json to one half of the questions')
  .argument('<folder>', 'of the homes')
  .action(async (folder: string) => {
    const answers = await askHomes(folder, 'fit');
    const { task, scoreOf } = fitTask(answers);
    const asked = answers.map((one) => ({ ...one, values: { ...one.values, task: scoreOf(one) } }));
    const rules = Object.fromEntries(RANKINGS.map((ranking) => [ranking, fitRule(asked, ranking)]));
    const model = JSON.parse(readFileSync(RANKING_MODEL, 'utf8')) as RankingModel;
    const decision = { ...rules, task } as unknown as DecisionModel;
    writeFileSync(RANKING_MODEL, `${JSON.stringify({ ...model, decision }, rounded, 2)}\n`);
  });

program
  .command('report')
  .description('what the rules of data/ranking.json decide')
  .argument('<folder>', 'of the homes')
  .argument('[half]', 'fit or report', 'report')
  .action(async (folder: string, half: Half) => console.log(reportOf(await askHomes(folder, half))));

program
  .command('times')
  .description('processor time and time of `hook` beside `node -e 0`, taking turns; needs a build')
  .argument('<folder>', 'of the homes')
  .argument('[times]', 'how often', '15')
  .action(async (folder: string, times: string) => {
    console.log(await timesOfHook(join(folder, 'mixed-190.db'), Number(times)));
  });

await program.parseAsync();

/** More digits say nothing, and would differ from machine to machine. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
