import type { Command } from 'commander';
import { buildCatalogue, type LoadReport, SkillSearchError } from '../index.js';
import { installedDatabase } from './installed-database.js';
import { type InstalledFlags, installedSource } from './installed-option.js';
import type { ServerLog } from './server-log.js';

/** What a server does with the skills that are installed. */
export interface InstalledLoad {
  readonly database: string;
  /**
   * Makes the vectors that are missing for semantic search. Never fails: the log says what came of it.
   *
   * @returns whether any were made
   */
  embed(): Promise<boolean>;
}

/** Flags of a server that may load the installed skills first. */
export interface ServerFlags extends InstalledFlags {
  readonly database: string;
  readonly model?: string;
}

/**
 * Loads the installed skills before a server starts: by their words, which takes no longer than reading them. A load
 * that another process is at already is as good.
 *
 * @param command that was called with `--installed`
 * @throws {SkillSearchError} as `buildCatalogue`
 */
export async function loadInstalled(
  command: Command,
  flags: ServerFlags,
  log: ServerLog['write'],
  signal?: AbortSignal,
): Promise<InstalledLoad> {
  const source = installedSource(command, flags);
  const database = installedDatabase(command, flags);
  if (source === undefined) return { database, embed: async () => false };
  const load = (semantic?: false): Promise<LoadReport> =>
    buildCatalogue({ database, sources: [source], semantic, model: flags.model, signal });
  try {
    tell(await load(false), log);
  } catch (error) {
    if (!(error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS')) throw error;
    log('info', 'another process loads the installed skills', {});
  }
  const embed = async (): Promise<boolean> => {
    try {
      const { embedded, seconds } = await load();
      if (embedded > 0) log('info', 'embedded the installed skills', { embedded, seconds: seconds.embedding });
      return embedded > 0;
    } catch (error) {
      if (signal?.aborted !== true) log('warn', 'did not embed the installed skills', { reason: String(error) });
      return false;
    }
  };
  return { database, embed };
}

function tell(
  { added, updated, unchanged, removed, warningCount, rejected }: LoadReport,
  log: ServerLog['write'],
): void {
  log('info', 'loaded the installed skills', { added, updated, unchanged, removed, warnings: warningCount });
  for (const { origin, reason } of rejected) log('info', 'not a skill', { origin, reason });
}
