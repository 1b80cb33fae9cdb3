import { COPY_MODES, LIST_ORDERS, type ListOrder } from '../index.js';
import { resolveListQuery } from '../query.js';
import { addPlaceOptions, choiceOption, jsonOption, parseInteger, pick, placeOf } from './options.js';
import { columnsOf, printJson, printLines } from './output.js';
import { listLines } from './result-lines.js';
import type { SetUp } from './run.js';
import { addFilters, facetsOption, filtersOf, openSearch, type PageFlags, tellDamaged } from './search-options.js';
import { stylesFor } from './text-columns.js';

interface ListFlags extends PageFlags {
  readonly sort?: ListOrder;
}

export const setUp: SetUp = (command, output) => {
  command.addOption(choiceOption('--sort <order>', 'order of the skills (default: "recent")', LIST_ORDERS));
  addFilters(addPlaceOptions(command))
    .option('--page <n>', 'page, from 1 to the last', parseInteger)
    .option('--limit <n>', 'skills a page, 1 to 50', parseInteger, 10)
    .addOption(choiceOption('--copies <mode>', 'show one of a group of copies or all (default: "keep")', COPY_MODES))
    .addOption(facetsOption())
    .option('--local-paths', 'tell for each skill the folder that it was loaded from')
    .addOption(jsonOption())
    .action(async (flags: ListFlags) => {
      // Checks the query before opening the catalogue, so that a fault is reported at once.
      const page = pick(flags, 'page', 'limit', 'copies', 'facets');
      const query = resolveListQuery({ sortBy: flags.sort, ...page, ...filtersOf(flags) });
      await using search = await openSearch({ ...placeOf(command, flags), localPaths: flags.localPaths }, output);
      const result = search.list(query);
      tellDamaged(result.damaged, output);
      if (flags.json === true) printJson(output, result);
      else printLines(output, listLines(result, columnsOf(output), stylesFor(output.out)));
    });
};
