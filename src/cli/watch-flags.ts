import type { Command } from 'commander';
import type { WatchOptions } from '../index.js';
import { parseInteger } from './common-options.js';

/** Flags that say how sources are watched. */
export interface WatchFlags {
  readonly poll?: true;
  /** Milliseconds between two looks. */
  readonly pollInterval?: number;
}

/** Adds the options that say how sources are watched. */
export function addWatchOptions(command: Command): void {
  command
    .option('--poll', 'look at the watched files again and again: for network drives')
    .option('--poll-interval <ms>', 'milliseconds between two looks at files that are polled, at least', parseInteger);
}

/** The options of a watch that these flags mean. */
export function watchOptionsOf({ poll, pollInterval }: WatchFlags): Pick<WatchOptions, 'polling' | 'pollInterval'> {
  return { polling: poll, pollInterval };
}

/** Whether any of these flags is given. */
export function hasWatchFlags({ poll, pollInterval }: WatchFlags): boolean {
  return poll === true || pollInterval !== undefined;
}
