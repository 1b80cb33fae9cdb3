import { expect, vi } from 'vitest';
import {
  buildCatalogue,
  type SourceWatch,
  type WatchedChange,
  type WatchOptions,
  type WatchProblem,
  watchSources,
} from '../../src/index.js';
import { contentOf } from '../catalogue-file.js';
import { closing, scratchFile } from '../scratch-folder.js';

/** Long enough for a machine with twenty other things to do. */
const PATIENCE = { timeout: 100_000, interval: 50 };

/** A watch of a test, closed when the test ends. */
export interface Watching {
  readonly watch: SourceWatch;
  readonly database: string;
  readonly changes: WatchedChange[];
  readonly problems: WatchProblem[];
  /** Names of the stored skills, sorted. */
  names(): string[];
  /** Waits until these are the names of all stored skills. */
  untilNames(...names: readonly string[]): Promise<void>;
  /** Waits until a problem of this kind was told. */
  heard(kind: WatchProblem['kind']): Promise<WatchProblem>;
}

/** Watches sources, by words only unless the options say more. */
export async function watching(
  options: Omit<WatchOptions, 'database'> & { readonly database?: string },
): Promise<Watching> {
  const changes: WatchedChange[] = [];
  const problems: WatchProblem[] = [];
  const database = options.database ?? scratchFile('skills.db');
  const watch = closing(
    await watchSources({
      semantic: false,
      git: false,
      quiet: 50,
      ...options,
      database,
      onChange: (change) => changes.push(change),
      onProblem: (problem) => problems.push(problem),
    }),
  );
  const names = (): string[] => namesIn(database);
  return {
    ...{ watch, database, changes, problems, names },
    untilNames: (...expected) => eventually(() => expect(names()).toEqual([...expected].sort())),
    heard: async (kind) => {
      await eventually(() => expect(problems.map((problem) => problem.kind)).toContain(kind));
      return problems.find((problem) => problem.kind === kind)!;
    },
  };
}

/** Waits until a check passes. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, PATIENCE);
}

/** Names of the skills of a catalogue, sorted. */
export function namesIn(database: string): string[] {
  return [...contentOf(database).values()].map(({ record }) => (record as { name: string }).name).sort();
}

/** A SKILL.md. */
export function skillText(name: string, description = `does ${name}`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nThe text of ${name}.\n`;
}

/** What a load of these sources into a new catalogue stores. It lies beside the other: sources are named from there. */
export async function freshContent(
  database: string,
  sources: WatchOptions['sources'],
): Promise<ReturnType<typeof contentOf>> {
  count += 1;
  const fresh = `${database}.fresh-${count}`;
  await buildCatalogue({ database: fresh, sources, semantic: false, git: false });
  return contentOf(fresh);
}
let count = 0;
