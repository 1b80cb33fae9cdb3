/**
 * The long harness: tries to break every promise of docs/promises.md.
 *
 *     npm run torture -- --minutes 60 [--seed N] [--only NAME,NAME] [--material FOLDER] [--program FILE]
 *         [--database FILE] [--victims N]
 *
 * The minutes are divided among the trials. It exits with 1 if a promise broke, after all trials have run.
 */
import { parseArgs } from 'node:util';
import { runTrial } from './trial.js';
import { TRIALS } from './trials.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    only: { type: 'string' },
    material: { type: 'string' },
    program: { type: 'string' },
    database: { type: 'string' },
    victims: { type: 'string' },
  },
});
const names = values.only?.split(',');
const unknown = names?.filter((name) => TRIALS.every((trial) => trial.name !== name)) ?? [];
const [minutes, seed, victims] = [Number(values.minutes), Number(values.seed), Number(values.victims ?? 200)];
if (unknown.length > 0 || !(minutes > 0 && victims > 0) || !Number.isSafeInteger(seed)) {
  const known = TRIALS.map(({ name }) => name).join(', ');
  console.error(`error: expected --minutes and --victims above 0, --seed an integer, --only some of ${known}`);
  process.exit(2);
}

const chosen = TRIALS.filter(({ name }) => names?.includes(name) ?? true);
for (const trial of chosen) {
  const missing = trial.missing?.();
  if (missing !== undefined) {
    console.log(`${trial.name}: skipped, ${missing}`);
    continue;
  }
  console.log(`${trial.name}: ${trial.promise} (seed ${seed})`);
  try {
    const { attempts, facts } = await runTrial(trial, {
      seed,
      milliseconds: (minutes * 60_000) / chosen.length,
      material: values.material,
      program: values.program,
      database: values.database,
      victims,
      isLong: true,
      say: (line) => console.log(`  ${line}`),
    });
    const listed = Object.entries(facts).map(([name, value]) => `, ${name} ${value}`);
    console.log(`  held in ${attempts.toLocaleString('en')} attempts${listed.join('')}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`  BROKEN: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
}
