import { readFileSync } from 'node:fs';

interface NamedCategory {
  readonly slug: string;
  readonly name: string;
}

/** As `data/categories.json` has it. */
interface TaxonomyGroup extends NamedCategory {
  readonly categories: readonly NamedCategory[];
}

interface Taxonomy {
  readonly names: ReadonlyMap<string, string>;
  readonly groups: readonly CategoryGroup[];
}

/** Categories that belong together. */
export interface CategoryGroup {
  readonly name: string;
  /** The group's own slug first. */
  readonly slugs: readonly string[];
}

let taxonomy: Taxonomy | undefined;

/** The name of a category as people read it. One that the taxonomy does not know is read from its slug. */
export function categoryName(slug: string): string {
  taxonomy ??= readTaxonomy();
  return taxonomy.names.get(slug) ?? wordsOf(slug);
}

/** The groups of the taxonomy, in its order. */
export function categoryGroups(): readonly CategoryGroup[] {
  taxonomy ??= readTaxonomy();
  return taxonomy.groups;
}

/** `Software developers` for `software-developers-151252`. */
export function occupationName(slug: string): string {
  return wordsOf(slug.replace(/-\d{6}$/, ''));
}

function wordsOf(slug: string): string {
  const words = slug.replaceAll('-', ' ').trim();
  return words === '' ? slug : words.charAt(0).toUpperCase() + words.slice(1);
}

function readTaxonomy(): Taxonomy {
  const file = new URL('../../../../data/categories.json', import.meta.url);
  const groups = JSON.parse(readFileSync(file, 'utf8')) as readonly TaxonomyGroup[];
  const all = groups.flatMap((group) => [group, ...group.categories]);
  return {
    names: new Map(all.map(({ slug, name }) => [slug, name])),
    groups: groups.map(({ slug, name, categories }) => ({ name, slugs: [slug, ...categories.map((one) => one.slug)] })),
  };
}
