import { type Command, Option } from 'commander';
import { SKILL_FORMATS, type SkillFormat, type SkillOrHit } from '../agents/index.js';
import { isCatalogueAddress } from '../core/index.js';
import {
  COPY_MODES,
  type CopyMode,
  type Facet,
  type OpenOptions,
  RANKINGS,
  type Ranking,
  type SkillSearch,
  SORT_ORDERS,
  type SortOrder,
} from '../index.js';
import { resolveKeywordQuery, resolveSemanticQuery } from '../query.js';
import {
  addCatalogueOptions,
  type CataloguePlace,
  jsonOption,
  modelOption,
  parseDecimal,
  parseInteger,
  placeOf,
  type StopWordsFlags,
  stopWordsOf,
  stopWordsOption,
  withPlace,
} from './options.js';
import type { SetUp } from './output.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import { keywordLines, semanticLines } from './result-lines.js';
import {
  addFilters,
  FACETS_OPTION,
  type FilterFlags,
  filtersOf,
  openSearch,
  parseFacets,
  tellDamaged,
} from './search-options.js';
import { stylesFor } from './text-columns.js';

const MODES = ['keyword', 'semantic'] as const;

interface SearchFlags extends StopWordsFlags, FilterFlags, CataloguePlace {
  readonly json?: true;
  readonly mode: (typeof MODES)[number];
  readonly limit: number;
  readonly copies?: CopyMode;
  readonly explain?: true;
  readonly localPaths?: true;
  readonly format?: SkillFormat;
  readonly maxTokens?: number;
  // With `--mode keyword` only.
  readonly sort?: SortOrder;
  readonly page?: number;
  readonly facets?: readonly Facet[];
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

export const setUpSearch: SetUp = (command, output) => {
  addFilters(
    addCatalogueOptions(
      command.argument(
        '<words...>',
        'the words; those in double quotes must stand together: search \'"pull request" review\'',
      ),
    )
      .addOption(new Option('--mode <mode>', 'by words, or by meaning and words').choices(MODES).default('keyword'))
      .addOption(
        new Option('--sort <order>', 'keyword: order of the results (default: "relevance")').choices(SORT_ORDERS),
      ),
  )
    .option('--page <n>', 'keyword: page, 1 to 50', parseInteger)
    .option('--limit <n>', 'skills a page, 1 to 50; semantic: 1 to 100', parseInteger, 10)
    .option('--min-score <score>', 'semantic: leave out skills of a lower score, 0 to 1', parseDecimal)
    .addOption(
      new Option('--ranking <ranking>', 'semantic: meaning and words, meaning alone, or words alone').choices(RANKINGS),
    )
    .addOption(modelOption())
    .addOption(stopWordsOption())
    .addOption(new Option('--copies <mode>', 'show one of a group of copies or all').choices(COPY_MODES))
    .option(FACETS_OPTION[0], `keyword: ${FACETS_OPTION[1]}`, parseFacets)
    .option('--explain', 'tell for each result which words matched where, and the parts of its score')
    .option('--local-paths', 'tell for each result the folder that it was loaded from')
    .addOption(
      new Option('--format <format>', 'print the skills as text for a language model, best first').choices(
        SKILL_FORMATS,
      ),
    )
    .option('--max-tokens <n>', 'with --format: print at most so many tokens', parseInteger)
    .addOption(jsonOption())
    .action((words: string[], flags: SearchFlags) => {
      refuseOthers(flags, command);
      refuseFormats(flags, command);
      const placed = withPlace(command, flags);
      return flags.mode === 'semantic' ? searchByMeaning(words, placed, output) : searchByWords(words, placed, output);
    });
};

function refuseOthers(flags: SearchFlags, command: Command): void {
  const other = flags.mode === 'semantic' ? 'keyword' : 'semantic';
  for (const [flag, name] of Object.entries(ONLY_IN[other])) {
    if (flags[flag as keyof SearchFlags] === undefined) continue;
    command.error(`error: option '${name}' needs --mode ${other}`);
  }
}

function refuseFormats({ format, maxTokens, json, explain, facets }: SearchFlags, command: Command): void {
  if (format === undefined && maxTokens !== undefined) command.error("error: option '--max-tokens' needs --format");
  if (format !== undefined && json === true) command.error("error: option '--format' cannot be used with --json");
  if (format !== undefined && explain === true) command.error("error: option '--format' cannot be used with --explain");
  if (format !== undefined && facets !== undefined)
    command.error("error: option '--format' cannot be used with --facets");
}

/** Prints hits as text for a language model. */
async function printFormatted(
  hits: readonly SkillOrHit[],
  { format, maxTokens }: { readonly format: SkillFormat; readonly maxTokens?: number | undefined },
  output: Output,
): Promise<void> {
  const { formatSkills } = await import('../agents/formats/format-skills.js');
  const { text } = formatSkills(hits, { format, maxTokens });
  if (text !== '') printLines(output, text.split('\n'));
}

async function searchByWords(words: readonly string[], flags: SearchFlags, output: Output): Promise<void> {
  const { sort, page, limit, copies, facets } = flags;
  // Checks the query before opening the catalogue, so that a fault is reported at once.
  const q = words.join(' ');
  const query = resolveKeywordQuery({ q, sortBy: sort, ...filtersOf(flags), page, limit, copies, facets });
  await using search = await openPatiently(
    { ...placeOf(flags), stopWords: await stopWordsOf(flags), localPaths: flags.localPaths },
    output,
  );
  const result = search.keyword(query);
  tellDamaged(result.damaged, output);
  const { format, maxTokens } = flags;
  if (format !== undefined) await printFormatted(result.hits, { format, maxTokens }, output);
  else if (flags.json === true) printJson(output, result);
  else printLines(output, keywordLines(result, columnsOf(output), stylesFor(output.out), flags.explain === true));
}

async function searchByMeaning(words: readonly string[], flags: SearchFlags, output: Output): Promise<void> {
  const { limit, copies, minScore, ranking, explain, model } = flags;
  const q = words.join(' ');
  const query = resolveSemanticQuery({ q, limit, minScore, ranking, ...filtersOf(flags), copies, explain });
  const stopWords = await stopWordsOf(flags);
  const warmUp = query.ranking !== 'words';
  // For one question the graphs would take longer to open than a scan takes.
  await using search = await openPatiently(
    { ...placeOf(flags), model, stopWords, warmUp, graph: false, localPaths: flags.localPaths },
    output,
  );
  const result = await search.semantic(query);
  tellDamaged(result.damaged, output);
  const { format, maxTokens } = flags;
  if (format !== undefined) await printFormatted(result.hits, { format, maxTokens }, output);
  else if (flags.json === true) printJson(output, result);
  else printLines(output, semanticLines(result, columnsOf(output), stylesFor(output.out)));
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
