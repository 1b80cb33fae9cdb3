import { readFileSync } from 'node:fs';

interface NamedCategory {
  readonly slug: string;
  readonly name: string;
}

/** As `data/categories.json` has it. */
interface TaxonomyGroup extends NamedCategory {
  readonly categories: readonly NamedCategory[];
}

let names: ReadonlyMap<string, string> | undefined;

/** The name of a category as people read it. One that the taxonomy does not know is read from its slug. */
export function categoryName(slug: string): string {
  names ??= readNames();
  return names.get(slug) ?? wordsOf(slug);
}

/** `Software developers` for `software-developers-151252`. */
export function occupationName(slug: string): string {
  return wordsOf(slug.replace(/-\d{6}$/, ''));
}

function wordsOf(slug: string): string {
  const words = slug.replaceAll('-', ' ').trim();
  return words === '' ? slug : words.charAt(0).toUpperCase() + words.slice(1);
}

function readNames(): ReadonlyMap<string, string> {
  const file = new URL('../../../../data/categories.json', import.meta.url);
  const groups = JSON.parse(readFileSync(file, 'utf8')) as readonly TaxonomyGroup[];
  return new Map(groups.flatMap((group) => [group, ...group.categories]).map(({ slug, name }) => [slug, name]));
}
