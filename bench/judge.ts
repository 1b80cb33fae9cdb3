// Makes the graded test collection of bench/requests: pools rankings for readers, and takes in their grades.
import { Command, InvalidArgumentError } from 'commander';
import { type AgainFlags, again, agreement, type PoolFlags, pool, type TakeFlags, take } from './judging/commands.js';

const program = new Command('judge').description('pool rankings for readers who grade them, and take in their grades');

blocksCommand('pool')
  .description('write blocks of skills that have no grade yet, for readers')
  .option('--graded <file...>', 'qrels.tsv of pairs that have a grade already', [])
  .option('--run <file...>', 'TREC runs of other engines', [])
  .option('--no-own', 'pool only the runs')
  .option('--depth <k>', 'so many of the first skills of each ranking', count, 10)
  .option('--seed <n>', 'of the order', count, 1)
  .action(async (requests: string[], flags: PoolFlags) => console.log(await pool(requests, flags)));

blocksCommand('again')
  .description('write some of the pairs with a grade once more, for other readers')
  .requiredOption('--graded <file...>', 'qrels.tsv of the pairs')
  .option('--share <n>', 'one request of so many', count, 10)
  .option('--seed <n>', 'of the choice and the order', count, 2)
  .action(async (requests: string[], flags: AgainFlags) => console.log(await again(requests, flags)));

program
  .command('take')
  .description('take the grades of a folder of blocks into a qrels.tsv')
  .argument('<folder>', 'written by `pool` or `again`, with the readers’ *.grades.jsonl')
  .requiredOption('--into <file>', 'qrels.tsv')
  .option('--ids <file>', 'queries.jsonl: only its requests')
  .action((folder: string, flags: TakeFlags) => {
    const { said, faults } = take(folder, flags);
    for (const fault of faults) console.error(`error: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
    console.log(said);
  });

program
  .command('agreement')
  .description('how far two readers agree')
  .argument('<files...>', 'qrels.tsv of the first readers, one or more; the last one is of the second readers')
  .action((files: string[]) => console.log(JSON.stringify(agreement(files), undefined, 2)));

try {
  await program.parseAsync();
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** A command that writes blocks. */
function blocksCommand(name: string): Command {
  return program
    .command(name)
    .argument('<requests...>', 'queries.jsonl files')
    .requiredOption('--database <file>', 'loaded catalogue')
    .requiredOption('--out <folder>', 'where the blocks go')
    .option('--blocks <n>', 'blocks in a file', count, 10);
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('expected a whole number from 1');
}
