import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { surroundings, userFolders } from '../installed/index.js';
import type { InstalledFlags } from './installed-option.js';

/**
 * The catalogue of a command. The installed skills have one of their own in the user's data folder, which is made.
 *
 * @param command that was called with these flags
 */
export function installedDatabase(command: Command, flags: InstalledFlags & { readonly database: string }): string {
  if (flags.installed !== true || command.getOptionValueSource('database') !== 'default') return flags.database;
  const { data } = userFolders(surroundings());
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return join(data, 'skills.db');
}
