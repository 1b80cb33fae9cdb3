// Rows from a program: an API that is read page by page.
//
// A source may be an async generator. The load asks for the next row when it has stored the one before, so memory stays
// flat however many pages there are. A name identifies the source from load to load: that is what pruning goes by.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalogue, type LoadReport, openSkillSearch, type RowSource } from 'skill-discovery';

interface ApiSkill {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly likes: number;
}

/** Stands in for the API: three skills a page, an empty page at the end. */
async function fetchPage(skills: readonly ApiSkill[], page: number): Promise<readonly ApiSkill[]> {
  return skills.slice(3 * page, 3 * page + 3);
}

/** What the API has, as rows. Each is checked like a line of a file. */
async function* rowsOf(skills: readonly ApiSkill[]): AsyncGenerator<unknown> {
  for (let page = 0; ; page++) {
    const found = await fetchPage(skills, page);
    if (found.length === 0) return;
    for (const { slug, title, summary, likes } of found) {
      yield { id: `my-api-${slug}`, name: title, description: summary, stars: likes, updatedAt: 1_767_225_600 };
    }
  }
}

function apiSource(skills: readonly ApiSkill[]): RowSource {
  return { name: 'my-api', rows: rowsOf(skills) };
}

function show({ added, updated, unchanged, removed, rejected }: LoadReport): void {
  console.log(`${added} added, ${updated} updated, ${unchanged} unchanged, ${removed} removed`);
  for (const { origin, line, reason } of rejected) console.log(`  ${origin}, row ${line}: ${reason}`);
}

const skills: ApiSkill[] = [
  { slug: 'plants', title: 'plant-care', summary: 'Waters the plants on time.', likes: 3 },
  { slug: 'bread', title: 'bread-baking', summary: 'Bakes bread with sourdough.', likes: 8 },
  { slug: 'tax', title: 'tax-forms', summary: 'Fills in tax forms.', likes: 5 },
  { slug: 'empty', title: 'no-summary', summary: '', likes: 0 },
];

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-source-'));
try {
  const database = join(folder, 'skills.db');
  // This example is about rows: it makes no vectors.
  const options = { database, semantic: false, prune: true };

  show(await buildCatalogue({ ...options, sources: [apiSource(skills)] }));

  // Later: one skill has changed, one is gone. Pruning removes what the source no longer has.
  const later = skills
    .filter(({ slug }) => slug !== 'plants')
    .map((skill) => (skill.slug === 'tax' ? { ...skill, likes: 6 } : skill));
  show(await buildCatalogue({ ...options, sources: [apiSource(later)] }));

  await using search = await openSkillSearch({ database });
  for (const id of search.ids()) console.log(`${id}: ${search.get(id)?.stars} stars`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
