import type { Command } from 'commander';
import { SKILL_FORMATS, type SkillFormat, type SkillOrHit } from '../agents/index.js';
import { isCatalogueAddress } from '../core/index.js';
import {
  COPY_MODES,
  type DamagedSkill,
  type OpenOptions,
  RANKINGS,
  type Ranking,
  type SkillSearch,
  SORT_ORDERS,
  type SortOrder,
} from '../index.js';
import { resolveKeywordQuery, resolveSemanticQuery } from '../query.js';
import {
  addPlaceOptions,
  addReadingOptions,
  choiceOption,
  jsonOption,
  modelOption,
  parseDecimal,
  parseInteger,
  pick,
  placeOf,
  type ReadingFlags,
  readingOf,
} from './options.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import { keywordLines, semanticLines } from './result-lines.js';
import type { SetUp } from './run.js';
import { addFilters, facetsOption, filtersOf, openSearch, type PageFlags, tellDamaged } from './search-options.js';
import { stylesFor } from './text-columns.js';

const MODES = ['keyword', 'semantic'] as const;

interface SearchFlags extends ReadingFlags, PageFlags {
  readonly mode: (typeof MODES)[number];
  readonly explain?: true;
  readonly format?: SkillFormat;
  readonly maxTokens?: number;
  readonly asTyped?: true;
  readonly corrections: boolean;
  // With `--mode keyword` only, as `page` and `facets`.
  readonly sort?: SortOrder;
  // With `--mode semantic` only.
  readonly minScore?: number;
  readonly ranking?: Ranking;
  readonly model?: string;
}

/** Options that belong to one mode. */
const ONLY_IN = {
  keyword: { sort: '--sort', page: '--page', facets: '--facets' },
  semantic: { minScore: '--min-score', ranking: '--ranking', model: '--model' },
} as const;

export const setUp: SetUp = (command, output) => {
  command
    .argument('<words...>', 'the words; those in double quotes must stand together: search \'"pull request" review\'')
    .addOption(choiceOption('--mode <mode>', 'by words, or by meaning and words', MODES).default('keyword'))
    .addOption(choiceOption('--sort <order>', 'keyword: order of the results (default: "relevance")', SORT_ORDERS));
  addFilters(addPlaceOptions(command))
    .option('--page <n>', 'keyword: page, 1 to 50', parseInteger)
    .option('--limit <n>', 'skills a page, 1 to 50; semantic: 1 to 100', parseInteger, 10)
    .option('--min-score <score>', 'semantic: leave out skills of a lower score, 0 to 1', parseDecimal)
    .addOption(
      choiceOption('--ranking <ranking>', 'semantic: meaning and words, meaning alone, or words alone', RANKINGS),
    )
    .addOption(modelOption());
  addReadingOptions(command)
    .addOption(choiceOption('--copies <mode>', 'show one of a group of copies or all', COPY_MODES))
    .addOption(facetsOption('keyword: '))
    .option('--as-typed', 'the last word may be unfinished')
    .option('--no-corrections', 'read no word as another')
    .option('--explain', 'tell for each result which words matched where, and the parts of its score')
    .option('--local-paths', 'tell for each result the folder that it was loaded from')
    .addOption(
      choiceOption('--format <format>', 'print the skills as text for a language model, best first', SKILL_FORMATS),
    )
    .option('--max-tokens <n>', 'with --format: print at most so many tokens', parseInteger)
    .addOption(jsonOption())
    .action((words: string[], flags: SearchFlags) => {
      refuseOthers(flags, command);
      const opening = { ...placeOf(command, flags), localPaths: flags.localPaths };
      const search = flags.mode === 'semantic' ? searchByMeaning : searchByWords;
      return search(words.join(' '), opening, flags, output);
    });
};

/** Refuses options that are not for the mode, or not for the format. */
function refuseOthers(flags: SearchFlags, command: Command): void {
  const other = flags.mode === 'semantic' ? 'keyword' : 'semantic';
  for (const [flag, name] of Object.entries(ONLY_IN[other])) {
    if (flags[flag as keyof SearchFlags] !== undefined) command.error(`error: option '${name}' needs --mode ${other}`);
  }
  if (flags.format === undefined && flags.maxTokens !== undefined) {
    command.error("error: option '--max-tokens' needs --format");
  }
  for (const name of ['json', 'explain', 'facets'] as const) {
    if (flags.format === undefined || flags[name] === undefined) continue;
    command.error(`error: option '--format' cannot be used with --${name}`);
  }
}

// Both check the query before they open the catalogue, so that a fault is reported at once.

async function searchByWords(q: string, opening: OpenOptions, flags: SearchFlags, output: Output): Promise<void> {
  const query = resolveKeywordQuery({
    ...{ q, sortBy: flags.sort },
    ...filtersOf(flags),
    ...pick(flags, 'page', 'limit', 'copies', 'facets', 'asTyped', 'corrections'),
  });
  await using search = await openPatiently({ ...opening, ...(await readingOf(flags)) }, output);
  const result = search.keyword(query);
  await print(result, flags, output, () =>
    keywordLines(result, columnsOf(output), stylesFor(output.out), flags.explain === true),
  );
}

async function searchByMeaning(q: string, opening: OpenOptions, flags: SearchFlags, output: Output): Promise<void> {
  const more = pick(flags, 'limit', 'minScore', 'ranking', 'copies', 'explain', 'asTyped', 'corrections');
  const query = resolveSemanticQuery({ q, ...filtersOf(flags), ...more });
  const reading = await readingOf(flags);
  // For one question the graphs would take longer to open than a scan takes.
  const how = { model: flags.model, ...reading, warmUp: query.ranking !== 'words', graph: false };
  await using search = await openPatiently({ ...opening, ...how }, output);
  const result = await search.semantic(query);
  await print(result, flags, output, () => semanticLines(result, columnsOf(output), stylesFor(output.out)));
}

/** Prints an answer as text for a language model, as JSON, or as lines. */
async function print(
  result: { readonly hits: readonly SkillOrHit[]; readonly damaged?: readonly DamagedSkill[] | undefined },
  { format, maxTokens, json }: SearchFlags,
  output: Output,
  lines: () => readonly string[],
): Promise<void> {
  tellDamaged(result.damaged, output);
  if (format !== undefined) {
    const { formatSkills } = await import('../agents/formats/format-skills.js');
    const { text } = formatSkills(result.hits, { format, maxTokens });
    if (text !== '') printLines(output, [text]);
  } else if (json === true) printJson(output, result);
  else printLines(output, lines());
}

/** Opens a catalogue. On a terminal it shows a notice if that takes long, because the keyword index must be built. */
async function openPatiently(options: OpenOptions, output: Output): Promise<SkillSearch> {
  const { error } = output;
  // Of an address it is said what is waited for.
  if (error.isTTY !== true || isCatalogueAddress(options.database)) return openSearch(options, output);
  const notice = setTimeout(() => error.write(NOTICE), 1500);
  try {
    return await openSearch(options, output);
  } finally {
    clearTimeout(notice);
    error.write(`\r${' '.repeat(NOTICE.length)}\r`);
  }
}

const NOTICE = 'Building the keyword index …';
