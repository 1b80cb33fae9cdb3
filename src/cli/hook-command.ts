import { Option } from 'commander';
import { HOOK_OPTIONS } from '../agents/index.js';
import type { SetUp } from './run.js';

/**
 * The help of `hook`. The program itself runs the command (main.ts): it has no time for this package, and wrong words
 * may not fail as elsewhere, because a host may take that as a reason to drop the prompt.
 */
export const setUp: SetUp = (command) => {
  for (const { flag, argument, description, choices, default: byDefault } of HOOK_OPTIONS) {
    const option = new Option(argument === undefined ? `--${flag}` : `--${flag} <${argument}>`, description);
    if (choices !== undefined) option.choices([...choices]);
    if (byDefault !== undefined) option.default(byDefault);
    command.addOption(option);
  }
};
