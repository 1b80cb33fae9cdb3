/** What agents start: node and our command line, by absolute paths, so that nothing needs to be found on a PATH. */
export interface Program {
  /** Path of node. */
  readonly node: string;
  /** Path of the command line's first file. */
  readonly entry: string;
  /** Path of the catalogue. */
  readonly database: string;
  /** Whether agents are told that path. If not, each run finds the catalogue of its project, or the user's, itself. */
  readonly namesDatabase: boolean;
  /** Whether meaning is searched, too. */
  readonly semantic: boolean;
}

/** The arguments of node with which an agent starts our MCP server. */
export function serverArguments({ entry, semantic, ...program }: Program): readonly string[] {
  return [entry, 'mcp', ...databaseOption(program), '--installed', '--watch', ...(semantic ? [] : ['--no-semantic'])];
}

/**
 * The arguments of node with which a host asks for the skills that fit a prompt.
 *
 * @param format what the host writes and reads, as `hook` calls it
 */
export function hookArguments({ entry, semantic, ...program }: Program, format: string): readonly string[] {
  return [entry, 'hook', ...databaseOption(program), '--format', format, ...(semantic ? [] : ['--mode', 'words'])];
}

function databaseOption({ database, namesDatabase }: Pick<Program, 'database' | 'namesDatabase'>): readonly string[] {
  return namesDatabase ? ['--database', database] : [];
}

/** A command line for a POSIX shell. */
export function shellCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
