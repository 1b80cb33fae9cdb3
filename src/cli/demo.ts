import type { KeysAndQuotas } from '../access/index.js';
import type { SkillSearch } from '../index.js';

/** The name of demo keys; people give their keys other names. */
const NAME = 'serve --demo';

/** Words that most catalogues have. */
const WORDS = ['release notes', 'testing', 'test', 'data', 'code'];
const QUESTION = 'tell our users what changed since the last version';

/** Makes a key, revokes that of the last start, and returns commands to try for each kind of search. */
export async function demoLines(search: SkillSearch, access: KeysAndQuotas, url: string): Promise<string[]> {
  for (const { id, name, revokedAt } of await access.listKeys()) {
    if (name === NAME && revokedAt === undefined) await access.revokeKey(id);
  }
  const { key } = await access.createKey({ name: NAME });
  const q = WORDS.find((words) => search.keywordRecords({ q: words, limit: 1 }).records.length > 0) ?? 'skill';
  const category = search.keyword({ q, limit: 1 }).hits[0]?.skill.categories[0] ?? search.categories()[0]?.slug;
  const filter = category === undefined ? 'sortBy=stars' : `category=${category}&sortBy=stars`;
  const [keyword, semantic] = [`${url}/api/v1/skills/search`, `${url}/api/v1/skills/ai-search`];
  return [
    '',
    `API key for this demo: ${key}`,
    '(each start makes a new key and revokes the last one)',
    '',
    'Try in another terminal:',
    '',
    `curl "${keyword}?q=${encodeWords(q)}"`,
    `curl "${keyword}?q=${encodeWords(q)}&${filter}&limit=5"`,
    `curl -H "Authorization: Bearer ${key}" "${semantic}?q=${encodeWords(QUESTION)}"`,
    '',
  ];
}

function encodeWords(words: string): string {
  return encodeURIComponent(words).replaceAll('%20', '+');
}
