import { Command, Option } from 'commander';
import {
  COPY_MODES,
  type CopyMode,
  openSkillSearch,
  resolveKeywordQuery,
  type SkillSearch,
  SORT_ORDERS,
  type SortOrder,
} from '../index.js';
import { databaseOption, jsonOption, parseInteger } from './common-options.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import { resultLines } from './result-lines.js';
import { stylesFor } from './styles.js';

interface SearchFlags {
  readonly database: string;
  readonly json?: true;
  readonly sort: SortOrder;
  readonly category?: string;
  readonly occupation?: string;
  readonly page?: number;
  readonly limit?: number;
  readonly copies?: CopyMode;
  readonly explain?: true;
}

export function searchCommand(output: Output): Command {
  return new Command('search')
    .description('search a catalogue by words')
    .argument('<words...>', 'the words; those in double quotes must stand together: search \'"pull request" review\'')
    .addOption(databaseOption())
    .addOption(new Option('--mode <mode>', 'how to search').choices(['keyword']).default('keyword'))
    .addOption(new Option('--sort <order>', 'order of the results').choices([...SORT_ORDERS]).default('relevance'))
    .option('--category <slug>', 'only skills of this category')
    .option(
      '--occupation <slug>',
      'only skills of this occupation, with or without its SOC code, or of a group (15-0000)',
    )
    .option('--page <n>', 'page, 1 to 50', parseInteger)
    .option('--limit <n>', 'skills a page, 1 to 50', parseInteger, 10)
    .addOption(new Option('--copies <mode>', 'show one of a group of copies or all').choices([...COPY_MODES]))
    .option('--explain', 'tell for each result which words matched where')
    .addOption(jsonOption())
    .action((words: string[], flags: SearchFlags) => search(words, flags, output));
}

async function search(words: readonly string[], flags: SearchFlags, output: Output): Promise<void> {
  const { sort, category, occupation, page, limit, copies } = flags;
  // Checked before the catalogue is opened: wrong words are told at once.
  const query = resolveKeywordQuery({ q: words.join(' '), sortBy: sort, category, occupation, page, limit, copies });
  const opened = await openPatiently(flags.database, output);
  try {
    const result = opened.keyword(query);
    if (flags.json === true) printJson(output, result);
    else printLines(output, resultLines(result, columnsOf(output), stylesFor(output.out), flags.explain === true));
  } finally {
    await opened.close();
  }
}

/** Building the keyword index of a large catalogue takes a while; who waits at a terminal is told so. */
async function openPatiently(database: string, { error }: Output): Promise<SkillSearch> {
  if (error.isTTY !== true) return openSkillSearch({ database });
  const notice = setTimeout(() => error.write(NOTICE), 1500);
  try {
    return await openSkillSearch({ database });
  } finally {
    clearTimeout(notice);
    error.write(`\r${' '.repeat(NOTICE.length)}\r`);
  }
}

const NOTICE = 'Building the keyword index …';
