import type { Command } from 'commander';
import type { BuildOptions } from '../index.js';
import { databaseOption, jsonOption, modelOption, parseInteger } from './common-options.js';
import { addInstalledOptions, type InstalledFlags } from './installed-option.js';

/** Flags of the commands that load. */
export interface LoadFlags extends InstalledFlags {
  readonly database: string;
  readonly json?: true;
  readonly followLinks?: true;
  readonly author?: string;
  readonly codehostBase?: string;
  readonly skillUrlBase?: string;
  readonly maxUnpackedBytes?: number;
  readonly maxRatio?: number;
  readonly maxListedProblems?: number;
  /** False for `--no-git`. */
  readonly git: boolean;
  readonly gitSeconds?: number;
  /** False for `--no-contents`. */
  readonly contents: boolean;
  readonly semantic: boolean;
  /** Undefined if neither `--classify` nor `--no-classify` is given. */
  readonly classify?: boolean;
  readonly model?: string;
}

/** @param database what the option of the catalogue says of itself */
export function addLoadOptions(command: Command, database?: string): void {
  command
    .addOption(databaseOption(database))
    .option('--follow-links', 'follow links in a folder that lead into another source of this load')
    .option('--author <name>', 'author of skills in folders that git tells nothing of')
    .option('--codehost-base <url>', 'their codehostUrl is this and their path')
    .option('--skill-url-base <url>', 'their skillUrl is this and their path')
    .option('--max-unpacked-bytes <n>', 'bytes that a file may have, unpacked; 0 for no limit', parseInteger)
    .option('--max-ratio <n>', 'times its size that a .gz file may unpack to; 0 for no limit', parseInteger)
    .option('--max-listed-problems <n>', 'warnings and rejected rows that are listed; 0 for no limit', parseInteger)
    .option('--no-git', 'ask git nothing: ids of skills in folders depend on the folder alone')
    .option('--git-seconds <n>', 'seconds that git may work on one source; 0 reads remotes only', parseInteger)
    .option('--no-contents', 'store what is searched only: skills loaded so cannot be given out as they are')
    .option('--classify', 'give skills without categories up to three, by their words and vectors')
    .option('--no-classify', 'delete such categories of earlier loads')
    .option('--no-semantic', 'make no vectors: skills loaded so are found by words only')
    .addOption(modelOption())
    .addOption(jsonOption());
  addInstalledOptions(command);
}

/** The options of a load that these flags mean. */
export function loadOptionsOf(flags: LoadFlags): Omit<BuildOptions, 'database' | 'sources'> {
  const { followLinks, author, codehostBase, skillUrlBase, model, contents, classify } = flags;
  const { maxUnpackedBytes, maxRatio, maxListedProblems, gitSeconds } = flags;
  return {
    followLinks,
    // Undefined, not true: a missing model runtime is then a warning and not an error.
    semantic: flags.semantic ? undefined : false,
    model,
    author,
    codehostBase,
    skillUrlBase,
    maxUnpackedBytes,
    maxRatio,
    maxListedProblems,
    git: flags.git ? undefined : false,
    gitSeconds,
    contents,
    classify,
  };
}
