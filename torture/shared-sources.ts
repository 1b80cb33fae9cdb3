import { wholeFile } from './catalogue-rows.js';
import { oneOf, randomInteger } from './random.js';

/** One load, as a machine is told to do it. */
export interface Order {
  readonly source: string;
  readonly rows: readonly SharedRow[];
  readonly prune: boolean;
  readonly embeds: boolean;
}

/** What a machine says of a load: the texts that it embedded, and what went wrong. */
export interface Done {
  readonly embedded: readonly string[];
  readonly problems: readonly string[];
}

/** A row that says by its author which load of which source brought it. */
export interface SharedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly files: readonly object[];
}

/** What a source has after one of its loads. */
export interface SourceState {
  /** The number of the load that wrote each skill that no other source has, by id. */
  readonly own: ReadonlyMap<string, number>;
  /** The other skills that it has. */
  readonly shared: ReadonlySet<string>;
}

export const NOTHING: SourceState = { own: new Map(), shared: new Set() };

const WORDS = ['release', 'notes', 'tests', 'charts', 'forms', 'tables', 'birds', 'stars'];

/** The rows of one load. Few texts, so that many loads bring one that has a vector already. */
export function sharedRows(random: () => number, source: string, load: number): SharedRow[] {
  const row = (id: string): SharedRow => ({
    id,
    name: oneOf(random, WORDS),
    description: `${oneOf(random, WORDS)} and ${oneOf(random, WORDS)}`,
    author: markOf(source, load),
    files: [wholeFile('SKILL.md', Buffer.from(`# ${source}`)), wholeFile('load.bin', Buffer.alloc(5000, load))],
  });
  const own = Array.from({ length: 8 }, (_, i) => `${source}-${i}`);
  const shared = Array.from({ length: 6 }, (_, i) => `shared-${i}`);
  // Each load has the first one, which tells it from all others.
  const some = (ids: readonly string[]): string[] => ids.filter(() => randomInteger(random, 2) === 0);
  return [own[0]!, ...some(own.slice(1)), ...some(shared)].map(row);
}

function markOf(source: string, load: number): string {
  return `${source} ${load}`;
}

/** What a source has after one more load. */
export function stateAfter(before: SourceState, { rows, prune }: Order, load: number): SourceState {
  const [own, shared] = prune
    ? [new Map<string, number>(), new Set<string>()]
    : [new Map(before.own), new Set(before.shared)];
  for (const { id } of rows) {
    if (id.startsWith('shared-')) shared.add(id);
    else own.set(id, load);
  }
  return { own, shared };
}
