import { Option } from 'commander';
import { COPY_MODES, type CopyMode, type Facet, LIST_ORDERS, type ListOrder } from '../index.js';
import { resolveListQuery } from '../query.js';
import { addCatalogueOptions, type CataloguePlace, jsonOption, parseInteger, placeOf, withPlace } from './options.js';
import type { SetUp } from './output.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import { listLines } from './result-lines.js';
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

interface ListFlags extends FilterFlags, CataloguePlace {
  readonly json?: true;
  readonly sort?: ListOrder;
  readonly page?: number;
  readonly limit: number;
  readonly copies?: CopyMode;
  readonly facets?: readonly Facet[];
  readonly localPaths?: true;
}

export const setUpList: SetUp = (command, output) => {
  addFilters(
    addCatalogueOptions(command).addOption(
      new Option('--sort <order>', 'order of the skills (default: "recent")').choices(LIST_ORDERS),
    ),
  )
    .option('--page <n>', 'page, from 1 to the last', parseInteger)
    .option('--limit <n>', 'skills a page, 1 to 50', parseInteger, 10)
    .addOption(
      new Option('--copies <mode>', 'show one of a group of copies or all (default: "keep")').choices(COPY_MODES),
    )
    .option(...FACETS_OPTION, parseFacets)
    .option('--local-paths', 'tell for each skill the folder that it was loaded from')
    .addOption(jsonOption())
    .action((flags: ListFlags) => list(withPlace(command, flags), output));
};

async function list(flags: ListFlags, output: Output): Promise<void> {
  const { json, sort, page, limit, copies, facets, localPaths } = flags;
  // Checks the query before opening the catalogue, so that a fault is reported at once.
  const query = resolveListQuery({ sortBy: sort, page, limit, copies, facets, ...filtersOf(flags) });
  await using search = await openSearch({ ...placeOf(flags), localPaths }, output);
  const result = search.list(query);
  tellDamaged(result.damaged, output);
  if (json === true) printJson(output, result);
  else printLines(output, listLines(result, columnsOf(output), stylesFor(output.out)));
}
